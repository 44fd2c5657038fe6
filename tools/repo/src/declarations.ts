/**
 * What a module exports, and where each name is declared.
 *
 * Read from the text: biome formats the sources, so that a declaration begins at the start of its line and its doc
 * comment ends on the line above. TypeScript 7 has no compiler interface that could be asked instead.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An exported name and its declaration. */
export interface Declaration {
  readonly name: string;
  readonly file: string;
  /** Of the first declaration of that name; 0 where none was found. */
  readonly line: number;
  /** One of the declarations of that name has a doc comment: an editor shows it for all of them. */
  readonly documented: boolean;
}

const reExport = /^export (?:type )?(?:\{([^}]*)\}|\*)(?: from '([^']+)')?;/gm;
const modifiers = '(?:declare |abstract |async )*';
const keywords = '(?:function\\*?|const|let|class|interface|type)';
const exported = new RegExp(`^export ${modifiers}${keywords} (\\w+)`, 'gm');

/** Everything that a module exports, re-exports included; what comes from another package is not looked into. */
export function declarationsOf(file: string): readonly Declaration[] {
  const text = readFileSync(file, 'utf8');
  const own = [...new Set([...text.matchAll(exported)].map(([, name = '']) => name))];
  return [...own.map((name) => find(name, file, text)), ...[...text.matchAll(reExport)].flatMap(followed)];

  function followed([, names, from]: readonly (string | undefined)[]): readonly Declaration[] {
    if (from !== undefined && !from.startsWith('.')) return [];
    const target = from === undefined ? file : join(dirname(file), from);
    if (names === undefined) return declarationsOf(target);
    return listed(names).map(({ local, name }) => ({
      ...(from === undefined ? find(local, file, text) : declared(local, target)),
      name,
    }));
  }
}

/** The names between the braces of an export, or of an import. */
function listed(names: string): readonly { readonly local: string; readonly name: string }[] {
  return names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [local = '', renamed = local] = name.split(' as ');
      return { local, name: renamed };
    });
}

const declared = (name: string, file: string): Declaration =>
  declarationsOf(file).find((one) => one.name === name) ?? { name, file, line: 0, documented: false };

/** In this module, or where this module imports it from. */
function find(name: string, file: string, text: string): Declaration {
  const declaration = new RegExp(`^(?:export )?${modifiers}${keywords} ${name}\\b`);
  const lines = text.split('\n');
  const found = lines.flatMap((line, index) => (declaration.test(line) ? [index] : []));
  const imported = found.length === 0 ? importOf(name, text) : undefined;
  if (imported !== undefined) return declared(imported.local, join(dirname(file), imported.from));
  return {
    name,
    file,
    line: (found[0] ?? -1) + 1,
    documented: found.some((index) => isEndOfDocComment(lines, index - 1)),
  };
}

function importOf(name: string, text: string): { readonly local: string; readonly from: string } | undefined {
  for (const [, names = '', from = ''] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm)) {
    const found = listed(names).find((one) => one.name === name);
    if (found !== undefined) return { local: found.local, from };
  }
  return undefined;
}

function isEndOfDocComment(lines: readonly string[], index: number): boolean {
  if (!lines[index]?.endsWith('*/')) return false;
  const begin = lines.findLastIndex((line, at) => at <= index && line.startsWith('/*'));
  return lines[begin]?.startsWith('/**') ?? false;
}
