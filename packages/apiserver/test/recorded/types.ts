/** The types of the recorded resources, from their CRDs and from the server's own table of built-in resources. */
import { readFileSync } from 'node:fs';
import type { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import {
  customResetFields,
  type ObjectType,
  type OpenApiSchema,
  type TypeSchema,
  typeSchemaFromOpenApi,
  typeSchemaFromStructural,
} from '../../src/apply/index.ts';
import { builtInResources } from '../../src/composition/built-in/built-in-resources.ts';
import { builtInSchemas } from '../../src/openapi/documents.ts';
import type { PatchSchema } from '../../src/patch/index.ts';
import type { Strategy } from '../../src/resource/resource.ts';
import { inVersion, type Recording, resources } from './recording.ts';

export function readRecordings(file: string): readonly Recording[] {
  const lines = readFileSync(new URL(`./${file}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Recording);
}

/** By version. */
function schemasOf(crd: string): Readonly<Record<string, TypeSchema>> {
  const { spec } = JSON.parse(readFileSync(new URL(crd, import.meta.url), 'utf8')) as CustomResourceDefinition;
  return Object.fromEntries(
    spec.versions.map(({ name, schema }) => [
      `${spec.group}/${name}`,
      typeSchemaFromStructural(schema?.openAPIV3Schema as OpenApiSchema),
    ]),
  );
}

const custom = { gadgets: schemasOf('./gadget.crd.json'), gizmos: schemasOf('./gizmo.crd.json') };
const builtIn = builtInResources();

function strategyOf(resource: Recording['resource']): Strategy {
  const found = builtIn.find((one) => one.resource === resource && one.kind === resources[resource].kind);
  if (found === undefined) throw new RangeError(`no built-in resource ${resource}`);
  return found.strategy;
}

export function patchSchemaOf(resource: Recording['resource']): PatchSchema {
  const schema = strategyOf(resource).patchSchema();
  if (schema === undefined) throw new RangeError(`${resource} cannot be patched strategically`);
  return schema;
}

export function typeOf(resource: Recording['resource'], subresource = '', version: 'v1' | 'v2' = 'v1'): ObjectType {
  const { kind, status } = resources[resource];
  const apiVersion = inVersion(resources[resource].apiVersion, version);
  if (resource !== 'gadgets' && resource !== 'gizmos') return strategyOf(resource).objectType(subresource);
  return customType(apiVersion, kind, custom[resource], customResetFields(status, subresource));
}

function customType(
  apiVersion: string,
  kind: string,
  schemas: Readonly<Record<string, TypeSchema>>,
  reset: ObjectType['reset'],
): ObjectType {
  const schema = schemas[apiVersion];
  if (schema === undefined) throw new RangeError(`request to convert CR to an invalid group/version: ${apiVersion}`);
  return {
    apiVersion,
    kind,
    schema,
    empty: { apiVersion, kind },
    reset,
    inVersion: (other) => ({
      type: customType(other, kind, schemas, reset),
      convert: (object) => ({ ...object, apiVersion: other }),
      convertBack: (object) => ({ ...object, apiVersion }),
    }),
  };
}

const scaleName = 'io.k8s.api.autoscaling.v1.Scale';

export const scaleType: ObjectType = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  schema: typeSchemaFromOpenApi(builtInSchemas(), scaleName),
  empty: { metadata: {}, spec: {}, status: { replicas: 0 } },
};
