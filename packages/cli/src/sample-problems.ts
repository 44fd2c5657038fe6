/** Samples that the operator's kinds do not allow, or no longer: what an API server would say of them, without one. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { isObject } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { compileStructural } from '@keelson/schema/validation';
import { parseAllDocuments } from 'yaml';
import { sampleFiles } from './dev-samples.ts';

/** What is wrong with a sample; `file` is as seen from the folder. */
export interface SampleProblem {
  readonly file: string;
  readonly message: string;
}

/** Looks at the files in config/samples. Objects of groups that are not the operator's are left to their owners. */
export async function sampleProblems(
  folder: string,
  definitions: readonly NewCustomResourceDefinition[],
): Promise<readonly SampleProblem[]> {
  const all = await Promise.all(
    (await sampleFiles(folder)).map(async (file) => {
      const messages = parseAllDocuments(await readFile(file, 'utf8')).flatMap((document) =>
        document.errors.length > 0
          ? document.errors.map(({ message }) => message.split('\n')[0] ?? message)
          : problemsOf(document.toJS(), definitions),
      );
      return messages.map((message) => ({ file: relative(folder, file), message }));
    }),
  );
  return all.flat();
}

function problemsOf(object: unknown, definitions: readonly NewCustomResourceDefinition[]): readonly string[] {
  if (!isObject(object) || typeof object.apiVersion !== 'string') return [];
  const [version, group] = object.apiVersion.split('/').reverse();
  const ofGroup = definitions.filter(({ spec }) => spec.group === group);
  if (ofGroup.length === 0) return [];
  const { spec } = ofGroup.find((each) => each.spec.names.kind === object.kind) ?? {};
  const served = spec?.versions.find((each) => each.name === version && each.served);
  if (served === undefined) return [`the operator defines no ${String(object.kind)} in ${object.apiVersion}`];
  const schema = compileStructural(served.schema?.openAPIV3Schema ?? {});
  const { value, pruned } = schema.prune(object);
  return [
    ...pruned.map((field) => `${field}: no such field`),
    ...schema.validate(schema.default(value)).map(({ field, message }) => `${field}: ${message}`),
  ];
}
