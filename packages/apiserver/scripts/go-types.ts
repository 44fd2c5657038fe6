/**
 * Writes data/go-types.json.gz: the built-in types as Go declares them, by OpenAPI schema name.
 *
 * What Go's JSON does to an object (which empty values it leaves out, what it calls a type in its errors) shows in
 * every answer of the real API server and is not in its OpenAPI documents: whether a field is a pointer, and `omitempty`.
 *
 *     node packages/apiserver/scripts/go-types.ts <folder of Go's modules below k8s.io>
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { gzipSync } from 'node:zlib';

/** Kubernetes v1.36.4 is made of modules v0.36.4. */
const version = readFileSync(join(import.meta.dirname, '../openapi/VERSION'), 'utf8')
  .trim()
  .replace(/^v1\./, 'v0.');
const modules = argv[2];
if (modules === undefined) throw new TypeError('needs the folder of the k8s.io modules');

/** Module path to OpenAPI prefix, and the packages whose types are served. */
const sources = [
  { module: 'api', packages: '*/v{1,2}' },
  { module: 'apimachinery', packages: 'pkg/apis/meta/v1' },
  { module: 'apimachinery', packages: 'pkg/runtime' },
  { module: 'apiextensions-apiserver', packages: 'pkg/apis/apiextensions/v1' },
  { module: 'kube-aggregator', packages: 'pkg/apis/apiregistration/v1' },
];

type Fields = Record<string, string>;
type Declaration = string | Fields;

/** `k8s.io/api/core/v1` → `io.k8s.api.core.v1`, as OpenAPI names it. */
const prefixOf = (path: string) => path.replace(/^k8s\.io\//, 'io.k8s.').replaceAll('/', '.');

const declarations = new Map<string, { embeds: string[]; fields: Fields } | string>();

function parse(path: string, text: string): void {
  const prefix = prefixOf(path);
  const imports = new Map<string, string>();
  for (const [, alias, target] of text.matchAll(/^(?:import)?\s*(?:(\w+)\s+)?"([\w./-]+)"$/gm)) {
    if (target !== undefined) imports.set(alias ?? target.slice(target.lastIndexOf('/') + 1), target);
  }
  const builtin = new Set(['string', 'bool', 'int', 'int32', 'int64', 'byte', 'float64', 'uint64', 'any']);
  const qualify = (type: string): string =>
    type.replaceAll(/(?:(\w+)\.)?\b([A-Za-z]\w*)\b/g, (whole, from: string | undefined, name: string) => {
      if (from !== undefined) return `${prefixOf(imports.get(from) ?? from)}.${name}`;
      if (builtin.has(name) || name === 'map') return whole;
      return `${prefix}.${name}`;
    });
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  for (const [, name, body] of code.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    if (name === undefined || body === undefined) continue;
    const entry: { embeds: string[]; fields: Fields } = { embeds: [], fields: {} };
    for (const line of body.split('\n')) {
      const field = /^\s*(?:(\w+)\s+)?([\w.*[\]]+)\s+`.*?json:"([^"]*)".*`/.exec(line);
      if (field === null) {
        const embed = /^\s*([\w.]+)\s*(?:\/\/.*)?$/.exec(line);
        if (embed?.[1] !== undefined) entry.embeds.push(qualify(embed[1]));
        continue;
      }
      const [, fieldName, type = '', tag = ''] = field;
      const [json = '', ...flags] = tag.split(',');
      if (json === '-') continue;
      if (fieldName === undefined || flags.includes('inline')) {
        if (json === '') {
          entry.embeds.push(qualify(type));
          continue;
        }
      }
      const omit = flags.filter((flag) => flag === 'omitempty' || flag === 'omitzero');
      entry.fields[json] = [qualify(type), ...omit].join(',');
    }
    declarations.set(`${prefix}.${name}`, entry);
  }
  for (const [, name] of code.matchAll(/^type (\w+) struct ?\{ ?\}/gm)) {
    if (name !== undefined) declarations.set(`${prefix}.${name}`, { embeds: [], fields: {} });
  }
  for (const [, name, target] of code.matchAll(/^\s*(?:type )?(\w+) (?:= )?((?:map\[[\w.]+\]|\[\])?[\w.]+)$/gm)) {
    if (name === undefined || target === undefined || name === 'package' || name === 'return') continue;
    if (!declarations.has(`${prefix}.${name}`)) declarations.set(`${prefix}.${name}`, qualify(target));
  }
}

for (const { module, packages } of sources) {
  for (const file of globSync(`${module}@${version}/${packages}/*.go`, { cwd: modules })) {
    if (/_test\.go$|zz_generated|generated\.pb|types_swagger|register\.go|conversion/.test(file)) continue;
    parse(`k8s.io/${dirname(file).replace(/@v[\d.]+/, '')}`, readFileSync(join(modules, file), 'utf8'));
  }
}

function flattened(name: string): Fields {
  const entry = declarations.get(name);
  if (entry === undefined || typeof entry === 'string') throw new Error(`${name} is embedded, and no struct was found`);
  return Object.assign({}, ...entry.embeds.map(flattened), entry.fields);
}

const result: Record<string, Declaration> = {};
const namesIn = (type: string): string[] => type.match(/io\.k8s\.[\w.-]+/g) ?? [];

/** These encode themselves, so their fields do not matter. */
const opaque =
  /\.(?:Time|MicroTime|Duration|Quantity|IntOrString|FieldsV1|RawExtension|JSON|JSONSchemaPropsOr\w+|Verbs)$/;

function include(name: string): void {
  if (name in result || opaque.test(name)) return;
  const entry = declarations.get(name);
  if (entry === undefined) {
    // Types of other packages that are a plain string to JSON: types.UID, types.PatchType and such.
    result[name] = 'string';
    return;
  }
  if (typeof entry === 'string') {
    result[name] = entry;
    for (const next of namesIn(entry)) include(next);
    return;
  }
  const fields = flattened(name);
  result[name] = fields;
  for (const type of Object.values(fields)) for (const next of namesIn(type)) include(next);
}

for (const [name, entry] of declarations) {
  if (typeof entry !== 'string' && entry.embeds.some((embed) => embed.endsWith('.TypeMeta'))) include(name);
}

const sorted = Object.fromEntries(Object.entries(result).sort(([a], [b]) => (a < b ? -1 : 1)));
const out = join(import.meta.dirname, '../data/go-types.json.gz');
mkdirSync(dirname(out), { recursive: true });
const bytes = gzipSync(JSON.stringify(sorted), { level: 9 });
bytes[9] = 0xff; // the operating system, which gzip writes into its header, must not show
writeFileSync(out, bytes);
console.log(`${Object.keys(sorted).length} types, ${bytes.length} bytes`);
