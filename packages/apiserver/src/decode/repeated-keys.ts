/**
 * Keys that a YAML map has twice, in the words of Go's parser.
 *
 * Promises: what was said twice further inside is told before what holds it; the line is that of the value.
 */
import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';

type Yaml = typeof import('yaml');

/** `lineAt` gives the line of a place in the text, counted from one. */
export function repeatedKeys(yaml: Yaml, document: Document, lineAt: (offset: number) => number): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (yaml.isSeq(node)) for (const item of (node as YAMLSeq).items) visit(item);
    if (!yaml.isMap(node)) return;
    const keys = new Set<unknown>();
    for (const pair of (node as YAMLMap).items as readonly Pair[]) {
      visit(pair.value);
      const key = yaml.isScalar(pair.key) ? (pair.key as Scalar).value : undefined;
      if (key === undefined) continue;
      const place = ((pair.value ?? pair.key) as Node).range?.[0] ?? 0;
      if (keys.has(key)) found.push(`line ${lineAt(place)}: key ${JSON.stringify(key)} already set in map`);
      keys.add(key);
    }
  };
  visit(document.contents);
  return found;
}

/** All of them as one complaint. */
export const repeatedKeysText = (keys: readonly string[]): string => `yaml: unmarshal errors:\n  ${keys.join('\n  ')}`;
