/**
 * The recorded answers are what a real API server gives; test/recorded.test.ts holds validation to them.
 *
 * With KEELSON_RECORD=1 the recordings are made anew instead of checked; look at what changed.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { env } from 'node:process';
import { after, before, describe, test } from 'node:test';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { formatGroups } from '../recorded/format-cases.ts';
import { connect, recordGroup, recordSchema, type Server } from '../recorded/real-server.ts';
import { type Group, type Recording, readRecordings } from '../recorded/recording.ts';
import { ruleGroups } from '../recorded/rule-cases.ts';
import { schemaCases } from '../recorded/schema-cases.ts';
import { structureGroups } from '../recorded/structure-cases.ts';
import { updateGroups } from '../recorded/update-cases.ts';
import { valueGroups } from '../recorded/value-cases.ts';

const files: Readonly<Record<string, readonly Group[]>> = {
  value: valueGroups,
  format: formatGroups,
  structure: structureGroups,
  update: updateGroups,
  rule: ruleGroups,
};
const found = await availability();

// Three at a time: most of it is waiting for definitions to be served.
describe('recorded validation', { skip: found.available ? false : found.reason, concurrency: 3 }, () => {
  let kube: Kubernetes;
  let server: Server;

  before(async () => {
    kube = await startKubernetes();
    server = await connect(kube);
  });
  after(async () => {
    server?.[Symbol.dispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  function compareOrWrite(file: string, recordings: readonly Recording[]): void {
    if (env.KEELSON_RECORD === '1') {
      const lines = recordings.map((recording) => `${JSON.stringify(recording)}\n`);
      writeFileSync(new URL(`../recorded/${file}.jsonl`, import.meta.url), lines.join(''));
    } else {
      assert.deepEqual(JSON.parse(JSON.stringify(recordings)), readRecordings(file));
    }
  }

  for (const [file, groups] of Object.entries(files)) {
    test(`${file} cases are answered as recorded`, async () => {
      const recordings: Recording[] = [];
      for (const [index, group] of groups.entries()) {
        // Rules can see the name of the kind.
        const answers = await recordGroup(server, group, `recorded${file}${index}`);
        recordings.push(...answers.map((answer, i) => ({ group: group.name, case: group.cases[i], answer })));
      }
      compareOrWrite(file, recordings);
    });
  }

  test('schemas of CRDs are answered as recorded', async () => {
    const recordings: Recording[] = [];
    for (const each of schemaCases)
      recordings.push({ group: each.name, case: {}, answer: await recordSchema(server, each) });
    compareOrWrite('schema', recordings);
  });
});
