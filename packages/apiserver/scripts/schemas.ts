/**
 * Writes data/schemas.json.gz: of all schemas in openapi/, the part by which fields are owned, merged and patched.
 *
 *     node packages/apiserver/scripts/schemas.ts
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { OpenApiDocument, OpenApiSchema } from '../src/apply/index.ts';

const folder = join(import.meta.dirname, '..');

/** A schema of one name is the same in every document that has it. */
export function schemasText(): string {
  const all: Record<string, OpenApiSchema> = {};
  for (const file of globSync('openapi/**/v*.json.gz', { cwd: folder }).sort()) {
    const { components } = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()) as OpenApiDocument;
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) all[name] = reduced(schema);
  }
  return JSON.stringify({ components: { schemas: all } });
}

function reduced(schema: OpenApiSchema): OpenApiSchema {
  const { properties, additionalProperties: additional, items, allOf, ...rest } = schema;
  const kept = Object.entries(rest).filter(([name]) => scalars.has(name));
  return {
    ...(Object.fromEntries(kept) as OpenApiSchema),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, reduced(each)])),
    }),
    ...(additional !== undefined && {
      additionalProperties: typeof additional === 'object' ? reduced(additional) : additional,
    }),
    ...(items && { items: reduced(items) }),
    ...(allOf && { allOf: allOf.map(reduced) }),
  };
}

const scalars = new Set<string>([
  '$ref',
  'type',
  'format',
  'default',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
] satisfies (keyof OpenApiSchema)[]);

if (import.meta.main) {
  const bytes = gzipSync(schemasText(), { level: 9 });
  bytes[9] = 0xff; // the operating system, which gzip writes into its header, must not show
  writeFileSync(join(folder, 'data/schemas.json.gz'), bytes);
}
