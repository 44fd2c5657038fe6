/**
 * The OpenAPI documents of the built-in kinds (openapi/), as the real server sent them.
 *
 * They are served compressed as they are, and parsed for nobody but custom documents, which borrow from one of them.
 * What the server itself has to know of the types is a small file of its own: the core's document alone takes 16 ms of
 * CPU and 2 MB, the schemas of all types together 7 ms and 0.7 MB.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../data-file.ts';
import type { JsonObject } from '../object.ts';

const parsed = new Map<string, JsonObject>();

/** The document of a path such as `apis/apps/v1`, compressed; `undefined` when there is none. */
export function compressedDocument(path: string): Buffer | undefined {
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(path) || path.split('/').includes('..')) return undefined;
  const file = dataFile(`openapi/${path}.json.gz`);
  return existsSync(file) ? readFileSync(file) : undefined;
}

export function builtInDocument({ group, version }: { readonly group: string; readonly version: string }): JsonObject {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  let document = parsed.get(path);
  if (document === undefined) {
    const bytes = compressedDocument(path);
    if (bytes === undefined) throw new Error(`there is no OpenAPI document ${path}`);
    document = JSON.parse(gunzipSync(bytes).toString()) as JsonObject;
    parsed.set(path, document);
  }
  return document;
}

let schemas: JsonObject | undefined;

/** The schemas of all built-in types, reduced to how their fields are owned, merged and patched. */
export function builtInSchemas(): JsonObject {
  schemas ??= JSON.parse(gunzipSync(readFileSync(dataFile('data/schemas.json.gz'))).toString()) as JsonObject;
  return schemas;
}

type Index = Readonly<Record<string, { readonly serverRelativeURL: string }>>;
let index: Index | undefined;

/** The paths of the documents, each with the hash of its content. */
export function builtInIndex(): Index {
  if (index === undefined) {
    const bytes = compressedDocument('index');
    if (bytes === undefined) throw new Error('there is no index of the OpenAPI documents');
    index = (JSON.parse(gunzipSync(bytes).toString()) as { paths: Index }).paths;
  }
  return index;
}

/** `io.k8s.api.apps.v1.Deployment`: the name of a built-in kind's schema, and of its Go type. */
export function schemaNameOf(kind: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string {
  const { group, version } = kind;
  const folder =
    group === 'apiextensions.k8s.io'
      ? 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions'
      : group === 'apiregistration.k8s.io'
        ? 'io.k8s.kube-aggregator.pkg.apis.apiregistration'
        : `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}`;
  return `${folder}.${version}.${kind.kind}`;
}
