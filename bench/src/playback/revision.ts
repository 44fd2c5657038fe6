/** The packages as another revision of this repository builds them, with the operator that is measured there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../../../tools/repo/src/workspace.ts';
import type { Published } from '../stage/published.ts';
import { temporaryFolder } from '../stage/temporary-folder.ts';

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1024 ** 3 });

/** The commit that a revision names; `undefined` if there is none. */
export function commitOf(revision: string): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).toString().trim();
  } catch {
    return undefined;
  }
}

/** Builds a commit in a folder of its own, which goes when disposed. Rejects if it needs what is not installed here. */
export async function publishedAt(commit: string): Promise<Published> {
  const folder = temporaryFolder();
  try {
    const tree = join(folder.path, 'tree');
    mkdirSync(tree);
    execFileSync('tar', ['-x', '-C', tree], { input: git('archive', commit) });
    linkModules(tree);
    const stage = (await import(join(tree, 'bench/src/stage/published.ts'))) as { publishAll(): Published };
    return { subjects: stage.publishAll().subjects, [Symbol.dispose]: () => folder[Symbol.dispose]() };
  } catch (error) {
    folder[Symbol.dispose]();
    throw new Error(`${commit} cannot be built here: ${(error as Error).message}`, { cause: error });
  }
}

/** What is installed here, and in place of our own packages those of the other tree. */
function linkModules(tree: string): void {
  const [here, there] = [join(root, 'node_modules'), join(tree, 'node_modules')];
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const name of readdirSync(here)) {
    if (name !== '@keelson') link(join(here, name), join(there, name));
  }
  for (const name of readdirSync(join(here, '@keelson'))) {
    const own = relative(root, realpathSync(join(here, '@keelson', name)));
    link(join(tree, own), join(there, '@keelson', name));
  }
}
