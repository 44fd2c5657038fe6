/**
 * What the exports of the published packages must be: documented, and one name for one thing.
 *
 * Promises: every name that an entry of an exports map lets out has a doc comment, so that an editor shows what it is
 * for; and no two packages export different things by one name. The generated kinds are not compared: `Event` is one
 * thing in `v1` and another in `events/v1`, in Kubernetes itself.
 */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Declaration, declarationsOf } from './declarations.ts';
import { type Package, root } from './workspace.ts';

interface Exported extends Declaration {
  readonly package: string;
}

/** One sentence for each mistake. */
export function exportMistakes(packages: readonly Package[]): readonly string[] {
  const named = packages.flatMap((one) => exportedBy(one, (entry) => !entry.includes('*')));
  const generated = packages.flatMap((one) => exportedBy(one, (entry) => entry.includes('*')));
  return [...new Set([...[...named, ...generated].flatMap(undocumented), ...ambiguous(named)])];
}

function exportedBy({ folder, manifest }: Package, isWanted: (entry: string) => boolean): readonly Exported[] {
  return Object.values(manifest.exports)
    .filter(isWanted)
    .flatMap((entry) => globSync(entry.replace('*', '**/*'), { cwd: folder }))
    .flatMap((file) => declarationsOf(join(folder, file)))
    .map((declaration) => ({ ...declaration, package: manifest.name }));
}

const placeOf = ({ file, line }: Declaration): string => `${relative(root, file)}:${line}`;

const undocumented = (one: Declaration): readonly string[] =>
  one.documented ? [] : [`${placeOf(one)} ${one.name} is exported and has no doc comment`];

function ambiguous(exported: readonly Exported[]): readonly string[] {
  const byName = new Map<string, Exported[]>();
  for (const one of exported) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [...byName]
    .filter(([, all]) => new Set(all.map((one) => one.package)).size > 1)
    .map(([name, all]) => `${[...new Set(all.map(placeOf))].join(' and ')} export two things by the name ${name}`);
}
