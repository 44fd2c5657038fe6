/**
 * Watches the sources of an operator: what is below `src`, beside its file, and package.json.
 *
 * Each folder has a watch of its own. Node's recursive one watches each file on Linux, by its inode, and is deaf to a
 * file that was once saved as editors do: written beside, and renamed.
 */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Timer } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { ModulePlace } from './operator-module.ts';

/** An editor writes a file in several steps, and a formatter several files. */
const quietMs = 50;

export interface Sources extends Disposable {
  /** Watches this place from now on, instead of the one before. */
  follow(place: ModulePlace): void;
}

export interface Change {
  /** As seen from the package. */
  readonly path: string;
  /** When the first of them was noticed, in monotonic time. */
  readonly since: number;
}

export interface SourcesOptions {
  /** Hears of a change once no other has followed for a moment. */
  readonly onChange: (change: Change) => void;
  readonly onError: (error: Error) => void;
}

export function watchSources({ onChange, onError }: SourcesOptions): Sources {
  let watchers: readonly FSWatcher[] = [];
  let followed = '';
  let timer: Timer | undefined;
  let since: number | undefined;
  const changed = (path: string) => {
    const first = since ?? systemClock.monotonic();
    since = first;
    timer?.[Symbol.dispose]();
    timer = systemClock.setTimer(quietMs, () => {
      since = undefined;
      onChange({ path, since: first });
    });
  };
  /** Says whether there were other folders to watch than before. */
  const follow = (place: ModulePlace): boolean => {
    const folders = foldersOf(place);
    // One that was replaced by another of its name is another one: a watch stays with the folder that has gone.
    const same = JSON.stringify(folders.map((folder) => [folder, statSync(folder).ino]));
    if (same === followed) return false;
    const opened: FSWatcher[] = [];
    try {
      for (const folder of folders) {
        const watcher = watch(folder, (_, name) => noticed(place, folder, name));
        opened.push(watcher.on('error', onError));
      }
    } catch (error) {
      close(opened);
      throw error;
    }
    close(watchers);
    watchers = opened;
    followed = same;
    return true;
  };
  const noticed = (place: ModulePlace, folder: string, name: string | null) => {
    if (name === null) return;
    if (hasOtherFolders(place) || isSource(name, folder, place)) changed(relative(place.folder, join(folder, name)));
  };
  const hasOtherFolders = (place: ModulePlace): boolean => {
    try {
      return follow(place);
    } catch {
      return false; // one is going at this moment; the folder above is watched still, and so is its return
    }
  };
  return {
    follow: (place) => void follow(place),
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      close(watchers);
    },
  };
}

function close(watchers: readonly FSWatcher[]): void {
  for (const each of watchers) each.close();
}

function foldersOf({ folder, file }: ModulePlace): readonly string[] {
  const src = join(folder, 'src');
  const beside = dirname(file);
  // In the package's own folder are node_modules, and much else that is no source.
  const isElsewhere = beside !== folder && relative(src, beside).startsWith('..');
  return [folder, ...(existsSync(src) ? treeOf(src) : []), ...(isElsewhere ? treeOf(beside) : [])];
}

function treeOf(folder: string): readonly string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name),
  );
  return [folder, ...below.flatMap(({ name }) => treeOf(join(folder, name)))];
}

/** Tests, and the files that editors keep beside ours, matter to no operator. */
export function isSource(name: string, folder: string, place: ModulePlace): boolean {
  if (folder === place.folder && dirname(place.file) !== folder) return name === 'package.json';
  return /\.([mc]?[jt]sx?|json)$/.test(name) && !/\.test\.\w+$/.test(name) && !/^[.#]/.test(basename(name));
}
