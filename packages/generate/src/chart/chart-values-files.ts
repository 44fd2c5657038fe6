/** values.yaml, where each value has its meaning above it, and values.schema.json, which Helm holds them against. */
import { type GeneratedFile, jsonFile, yamlTextFile } from '../generated-file.ts';
import { commentLines, printYaml } from '../yaml.ts';
import type { ChartValue } from './chart-values.ts';

/** Values below one name, or one value. */
type Tree = ReadonlyMap<string, Tree> | ChartValue;

export function chartValuesFiles(values: readonly ChartValue[]): readonly GeneratedFile[] {
  const tree = treeOf(values);
  return [
    yamlTextFile('chart/values.yaml', [linesOf(tree, '').join('')]),
    jsonFile('chart/values.schema.json', {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...schemaOf(tree),
    }),
  ];
}

function treeOf(values: readonly ChartValue[]): ReadonlyMap<string, Tree> {
  const root = new Map<string, Tree>();
  for (const value of values) {
    const names = value.path.split('.');
    let place = root;
    for (const name of names.slice(0, -1)) {
      const inner = place.get(name);
      if (inner instanceof Map) place = inner;
      else {
        const added = new Map<string, Tree>();
        place.set(name, added);
        place = added;
      }
    }
    place.set(names.at(-1) ?? '', value);
  }
  // What Helm hands to the charts that a chart is made of.
  root.set('global', {
    path: 'global',
    default: {},
    description: 'For all charts, where this is one of several.',
    schema: { type: 'object' },
  });
  return root;
}

const isLeaf = (tree: Tree): tree is ChartValue => 'path' in tree;

function linesOf(tree: ReadonlyMap<string, Tree>, indentation: string): readonly string[] {
  return [...tree].flatMap(([name, inner]) => {
    if (!isLeaf(inner)) return [`${indentation}${name}:\n`, ...linesOf(inner, `${indentation}  `)];
    const notes = inner.description === '' ? [] : commentLines(inner.description).map((line) => `${line}\n`);
    const entry = printYaml({ [name]: inner.default })
      .split('\n')
      .slice(0, -1);
    return [...notes, ...entry.map((line) => `${line}\n`)].map((line) => `${indentation}${line}`);
  });
}

function schemaOf(tree: Tree): Readonly<Record<string, unknown>> {
  if (isLeaf(tree)) return { ...(tree.description && { description: tree.description }), ...tree.schema };
  const properties = Object.fromEntries([...tree].map(([name, inner]) => [name, schemaOf(inner)]));
  return { type: 'object', additionalProperties: false, properties };
}
