/**
 * Writes data/protobuf.json.gz: the field numbers of the built-in types in Kubernetes' protobuf encoding, by OpenAPI
 * schema name. Go clients send built-in objects in it.
 *
 *     node packages/apiserver/scripts/protobuf-types.ts <folder of Go's modules below k8s.io>
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { gzipSync } from 'node:zlib';

/** Kubernetes v1.36.4 is made of modules v0.36.4. */
const version = readFileSync(join(import.meta.dirname, '../openapi/VERSION'), 'utf8')
  .trim()
  .replace(/^v1\./, 'v0.');
const modules = argv[2];
if (modules === undefined) throw new TypeError('needs the folder of the k8s.io modules');

const files = [
  'api@VERSION/*/v{1,2}/generated.proto',
  'apimachinery@VERSION/pkg/apis/meta/v1/generated.proto',
  'apimachinery@VERSION/pkg/runtime/generated.proto',
  'apimachinery@VERSION/pkg/api/resource/generated.proto',
  'apimachinery@VERSION/pkg/util/intstr/generated.proto',
  'apiextensions-apiserver@VERSION/pkg/apis/apiextensions/v1/generated.proto',
  'kube-aggregator@VERSION/pkg/apis/apiregistration/v1/generated.proto',
];

const scalars = new Set(['string', 'bool', 'bytes', 'int32', 'int64', 'double', 'uint64']);
const messages: Record<string, Record<string, [name: string, type: string]>> = {};

for (const file of files.flatMap((pattern) => globSync(pattern.replace('VERSION', version), { cwd: modules }))) {
  const text = readFileSync(join(modules, file), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
  const folder = /^package (?<name>[\w.]+);/m.exec(text)?.groups?.name ?? '';
  const openApiName = (name: string) =>
    (name.includes('.') ? name : `${folder}.${name}`).replace(/^\.?k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
  const typeName = (name: string) => (scalars.has(name) ? name : openApiName(name));
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const fields: Record<string, [string, string]> = {};
    const pattern = /^\s*(?:(optional|repeated) ([\w.]+)|map<(\w+), ([\w.]+)>) (\w+) = (\d+);/gm;
    for (const [, label, type = '', , value = '', field = '', number = ''] of body.matchAll(pattern)) {
      const written =
        label === undefined
          ? `map ${typeName(value)}`
          : label === 'repeated'
            ? `list ${typeName(type)}`
            : typeName(type);
      fields[number] = [field, written];
    }
    messages[openApiName(name)] = fields;
  }
}

const sorted = Object.fromEntries(Object.entries(messages).sort(([a], [b]) => (a < b ? -1 : 1)));
const bytes = gzipSync(JSON.stringify(sorted), { level: 9 });
bytes[9] = 0xff; // the operating system, which gzip writes into its header, must not show
writeFileSync(join(import.meta.dirname, '../data/protobuf.json.gz'), bytes);
console.log(`${Object.keys(sorted).length} messages, ${bytes.length} bytes`);
