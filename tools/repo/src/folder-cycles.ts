/**
 * Folders of a package that import each other in a circle, so that none of them can be understood, or moved, alone.
 *
 * A folder is where a file lies; one inside another is a folder of its own. A file right below `src` stands for itself,
 * since `src` is no idea. Types count like values: a step that needs the types of a later one knows of it. What tests
 * and generated files import does not count.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** By path: the paths that a file imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Static, dynamic and type imports by a relative path. */
const importPattern = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** The imports inside one `src`, by paths relative to it. */
function importsBelow(source: string): Imports {
  const imports = new Map<string, readonly string[]>();
  for (const path of globSync('**/*.{ts,tsx}', { cwd: source }).sort()) {
    if (/\.test\.tsx?$|(?:^|\/)generated\//.test(path)) continue;
    const targets = [...readFileSync(join(source, path), 'utf8').matchAll(importPattern)]
      .map(([, target = '']) => normalize(join(dirname(path), target)))
      .filter((target) => !target.startsWith('..') && existsSync(join(source, target)));
    imports.set(path, targets);
  }
  return imports;
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? path : folder;
}

/** A circle of folders, each with an import that leads to the next one. */
export type Cycle = readonly { readonly folder: string; readonly from: string; readonly to: string }[];

/** One circle for every folder that is in one and in none that was named before; shortest first. */
export function folderCycles(imports: Imports): readonly Cycle[] {
  const edges = new Map<string, Map<string, { readonly from: string; readonly to: string }>>();
  for (const [from, targets] of imports) {
    for (const to of targets) {
      const [here, there] = [folderOf(from), folderOf(to)];
      if (here === there) continue;
      const leaving = edges.get(here) ?? new Map();
      if (!leaving.has(there)) leaving.set(there, { from, to });
      edges.set(here, leaving);
    }
  }
  const found = [...edges.keys()].flatMap((folder) => shortestCycle(folder, edges) ?? []);
  const named = new Set<string>();
  return found
    .map((cycle) => cycle.map(([folder, edge]) => ({ folder, ...edge })))
    .filter((cycle) => !cycle.every(({ folder, from }) => folder === from)) // files below `src` alone: one folder
    .sort((a, b) => a.length - b.length)
    .filter((cycle) => {
      const isNew = cycle.some(({ folder }) => !named.has(folder));
      for (const { folder } of cycle) named.add(folder);
      return isNew;
    });
}

type Edge = { readonly from: string; readonly to: string };
type Step = readonly [folder: string, edge: Edge];

/** Breadth first, from a folder back to itself. */
function shortestCycle(
  start: string,
  edges: ReadonlyMap<string, ReadonlyMap<string, Edge>>,
): readonly (readonly Step[])[] | undefined {
  const queue: (readonly [at: string, path: readonly Step[]])[] = [[start, []]];
  const seen = new Set<string>();
  for (const [at, path] of queue) {
    for (const [next, edge] of edges.get(at) ?? []) {
      const longer: readonly Step[] = [...path, [at, edge]];
      if (next === start) return [longer];
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push([next, longer]);
    }
  }
  return undefined;
}

/** Every circle in the packages below `root`, as text; empty when there is none. */
export function folderCycleReport(root: string): string {
  const sources = globSync(['{packages,operators,tools}/*/src', '{bench,conformance,demo,examples}/src'], {
    cwd: root,
  });
  return sources
    .sort()
    .flatMap((source) =>
      folderCycles(importsBelow(join(root, source))).map((cycle) => {
        const [first] = cycle;
        const way = [...cycle.map(({ folder }) => folder), first?.folder].join(' → ');
        const shown = (path: string) => relative(root, join(root, source, path));
        const lines = cycle.map(({ from, to }) => `  ${shown(from)} imports ${shown(to)}\n`);
        return `${source}: ${way}\n${lines.join('')}`;
      }),
    )
    .join('');
}
