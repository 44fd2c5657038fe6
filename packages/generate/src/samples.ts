/** Samples: an object of each served version that the API server would take, for users to begin with. */
import { apiVersionOf, type Labels } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinedKind } from '@keelson/schema';
import { compileStructural } from '@keelson/schema/validation';
import type { GeneratedFile } from './generated-file.ts';
import type { Installation } from './installation.ts';
import { sampleValue } from './sample-value.ts';
import { printYaml } from './yaml.ts';

/** `config/samples`: files that belong to the user as soon as they are there. */
export function sampleFiles({ definitions, name }: Installation): readonly GeneratedFile[] {
  const nameOf = fileNames(definitions.map(({ kind }) => kind));
  return definitions.flatMap(({ kind, crd }) => {
    const served = crd.spec.versions.filter((each) => each.served);
    return served.map(({ name: version, schema }) => {
      const path = `config/samples/${nameOf(kind, version)}.yaml`;
      // All of the folder is applied at once, so that samples of two versions are two objects.
      const sample = `${kind.kind.toLowerCase()}-sample${served.length > 1 ? `-${version}` : ''}`;
      const labels = { 'app.kubernetes.io/part-of': name };
      return { path, ...sampleOf(kind, version, schema?.openAPIV3Schema ?? {}, { name: sample, labels }) };
    });
  });
}

/** As Kubebuilder calls them: after the first label of the group; after the whole group where two kinds would share it. */
function fileNames(kinds: readonly DefinedKind[]): (kind: DefinedKind, version: string) => string {
  const short = ({ group, kind }: DefinedKind) => `${group.split('.')[0]} ${kind.toLowerCase()}`;
  return (kind, version) => {
    const isShared = kinds.some((other) => other.group !== kind.group && short(other) === short(kind));
    const group = isShared ? kind.group : kind.group.split('.')[0];
    return `${group}_${version}_${kind.kind.toLowerCase()}`;
  };
}

function sampleOf(
  kind: DefinedKind,
  version: string,
  schema: JSONSchemaProps,
  metadata: { readonly name: string; readonly labels: Labels },
): Omit<GeneratedFile, 'path'> {
  const sample = {
    apiVersion: apiVersionOf({ group: kind.group, version }),
    kind: kind.kind,
    metadata,
    spec: sampleValue(schema.properties?.spec ?? {}),
  };
  const problems = compileStructural(schema).validate(sample);
  if (problems.length === 0) return { text: printYaml(sample), owner: 'user' };
  const list = problems.map(({ field, message }) => `${field}: ${message}`);
  const notes = ['It is not valid yet:', ...list, 'An example in the schema is taken: .meta({ example: value }).'];
  return {
    text: `${notes.map((note) => `# ${note.replaceAll('\n', ' ')}\n`).join('')}${printYaml(sample)}`,
    owner: 'user',
    warning: `the sample of ${kind.kind} ${version} is not valid yet (${list.join('; ')}): give the field an example`,
  };
}
