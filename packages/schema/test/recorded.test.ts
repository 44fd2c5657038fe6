/** Validation answers as a real API server did: every case of test/recorded. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  compileStructural,
  type StructuralSchema,
  structuralProblems,
  structuralWarnings,
} from '@keelson/schema/validation';
import { formatGroups } from './recorded/format-cases.ts';
import { localAnswer } from './recorded/local-answer.ts';
import {
  type Answer,
  type Case,
  comparable,
  comparableWarnings,
  type Group,
  readRecordings,
} from './recorded/recording.ts';
import { ruleGroups } from './recorded/rule-cases.ts';
import { schemaCases } from './recorded/schema-cases.ts';
import { structureGroups } from './recorded/structure-cases.ts';
import { updateGroups } from './recorded/update-cases.ts';
import { valueGroups } from './recorded/value-cases.ts';

const files: Readonly<Record<string, readonly Group[]>> = {
  value: valueGroups,
  format: formatGroups,
  structure: structureGroups,
  update: updateGroups,
  rule: ruleGroups,
};

for (const [file, groups] of Object.entries(files)) {
  const recordings = readRecordings(file);
  groups.forEach((group, index) => {
    describe(group.name, () => {
      const answers = recordings.filter((each) => each.group === group.name);
      const schema = compileStructural(group.schema);
      test('has an answer for each case', () => {
        assert.deepEqual(
          group.cases.map((each) => JSON.parse(JSON.stringify(each))),
          answers.map((each) => each.case),
        );
      });
      for (const [i, each] of group.cases.entries()) {
        test(JSON.stringify(each).slice(0, 150), () => {
          assert.deepEqual(answerTo(schema, each, `Recorded${file}${index}`, `case-${i}`), answers[i]?.answer);
        });
      }
    });
  });
}

function answerTo(schema: StructuralSchema, { object, old, isStatus }: Case, kind: string, name: string): Answer {
  const typed = (fields: object) => ({ apiVersion: 'recorded.example.com/v1', kind, metadata: { name }, ...fields });
  // Old objects are stored in another version, which has no defaults.
  const before = old && (schema.prune(typed(old)).value as object);
  return localAnswer(schema, typed(object), before, isStatus);
}

describe('schemas of CRDs', () => {
  const recordings = readRecordings('schema');
  test('have an answer for each case', () => {
    assert.deepEqual(
      schemaCases.map(({ name }) => name),
      recordings.map(({ group }) => group),
    );
  });
  for (const [i, { name, schema, hasStatus = false }] of schemaCases.entries()) {
    test(name, () => {
      const causes = structuralProblems(schema, 'spec.validation.openAPIV3Schema', { hasStatus });
      const warnings = causes.length > 0 ? [] : comparableWarnings(structuralWarnings(schema));
      const { status, ...answer } = recordings[i]?.answer ?? { status: 0 };
      assert.deepEqual(causes.length > 0 ? { causes: comparable(causes), warnings } : { warnings }, answer);
      assert.equal(causes.length > 0 ? 422 : 201, status);
    });
  }
});
