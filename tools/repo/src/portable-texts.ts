/**
 * Texts that hold on one machine only: paths below somebody's home or this checkout, and hosts of package registries,
 * which everyone configures for themselves.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.ts';

/** Homes of people who do not exist, in examples and tests. */
const invented = "(?:me|o'brien)";

const rules: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: "names a path in somebody's home", pattern: new RegExp(`/(?:home|Users)/(?!${invented}\\b)[a-z]`, 'i') },
  { what: "names a path in somebody's home", pattern: /(?<![\w.-])\/root\/|[A-Z]:\\Users/ },
  {
    what: 'names the host of a package registry',
    pattern:
      /\b(?:npmjs\.(?:org|com)|yarnpkg\.com|pypi\.org|pythonhosted\.org|crates\.io|(?:proxy|sum)\.golang\.org|rubygems\.org)\b/,
  },
];

/** The mistakes in one text, with their lines. */
export function unportable(text: string): readonly { readonly line: number; readonly what: string }[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      rules.filter(({ pattern }) => pattern.test(line)).map(({ what }) => ({ line: index + 1, what })),
    );
}

/** One sentence for each mistake in the checkout. */
export function portabilityMistakes(): readonly string[] {
  const ignored = new Set(['node_modules', 'dist', '.git']);
  return globSync('**/{*,.*}', { cwd: root, exclude: (name) => ignored.has(name) })
    .filter((path) => !path.split('/').some((part) => ignored.has(part)) && statSync(join(root, path)).isFile())
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      if (text.includes('\0')) return []; // not a text
      return unportable(text).map(({ line, what }) => `${path}:${line} ${what}`);
    });
}
