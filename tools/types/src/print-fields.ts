/** Field schemas in, TypeScript out: a module of zod schemas for each group version. */
import { comment } from './comment.ts';
import { type FieldSchema, firstSentence } from './field-schemas.ts';
import { list, quote } from './layout.ts';
import type { Header } from './print.ts';

/** The text of every generated file, by its path below the output folder. */
export function printFields(fields: readonly FieldSchema[], header: Header): ReadonlyMap<string, string> {
  const modules = [...new Set(fields.map(({ module }) => module))];
  return new Map(modules.map((module) => [`${module}.ts`, printModule(module, fields, header)]));
}

function printModule(module: string, fields: readonly FieldSchema[], header: Header): string {
  const own = fields.filter((field) => field.module === module);
  const up = '../'.repeat(module.split('/').length);
  const strange = own
    .flatMap(({ schema }) => [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)\/[^"/]+"/g)])
    .find(([, to]) => to !== module && to !== common);
  if (strange !== undefined) throw new Error(`${module} refers to ${strange[1]}, which it would have to import`);
  const shared = own.some(({ schema }) => JSON.stringify(schema).includes(`"$ref":"${common}/`)) && module !== common;
  // A text, not a literal: an operator uses a few of them, and the others need not be parsed.
  const texts = own.map(({ name, schema, description }) => {
    const args = [`${module}/${name}`, JSON.stringify(schema)].map(quote);
    return `${comment(firstSentence(description))}${list(`export const ${name} = builtIn<core.${name}>(`, args, ');')}\n`;
  });
  return [
    header(`Schemas for fields of custom kinds that hold types of ${module}.`),
    [
      `import type * as core from '@keelson/core/${module}';\n`,
      `import { builtIn } from '${up}from-zod/built-in.ts';\n`,
      ...(shared ? [`import './${common}.ts';\n`] : []),
    ].join(''),
    ...texts,
  ].join('\n');
}

/** The module of the types that all groups share, and that refers to no other. */
const common = 'meta/v1';
