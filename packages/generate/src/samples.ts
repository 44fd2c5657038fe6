/** Samples: an object of each served version that the API server would take, for users to begin with. */
import { apiVersionOf } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinedKind } from '@keelson/schema';
import { compileStructural } from '@keelson/schema/validation';
import type { GeneratedFile } from './generated-file.ts';
import type { Installation } from './installation.ts';
import { sampleValue } from './sample-value.ts';
import { printYaml } from './yaml.ts';

/** `config/samples`: files that belong to the user as soon as they are there. */
export function sampleFiles({ definitions, name }: Installation): readonly GeneratedFile[] {
  return definitions.flatMap(({ kind, crd }) =>
    crd.spec.versions
      .filter(({ served }) => served)
      .map(({ name: version, schema }) => sampleFile(kind, version, schema?.openAPIV3Schema ?? {}, name)),
  );
}

function sampleFile(kind: DefinedKind, version: string, schema: JSONSchemaProps, operator: string): GeneratedFile {
  const [group = ''] = kind.group.split('.');
  const sample = {
    apiVersion: apiVersionOf({ group: kind.group, version }),
    kind: kind.kind,
    metadata: { name: `${kind.kind.toLowerCase()}-sample`, labels: { 'app.kubernetes.io/part-of': operator } },
    spec: sampleValue(schema.properties?.spec ?? {}),
  };
  const path = `config/samples/${group}_${version}_${kind.kind.toLowerCase()}.yaml`;
  const problems = compileStructural(schema).validate(sample);
  if (problems.length === 0) return { path, text: printYaml(sample), owner: 'user' };
  const list = problems.map(({ field, message }) => `${field}: ${message}`);
  const notes = ['It is not valid yet:', ...list, 'An example in the schema is taken: .meta({ example: value }).'];
  return {
    path,
    text: `${notes.map((note) => `# ${note.replaceAll('\n', ' ')}\n`).join('')}${printYaml(sample)}`,
    owner: 'user',
    warning: `the sample of ${kind.kind} ${version} is not valid yet (${list.join('; ')}): give the field an example`,
  };
}
