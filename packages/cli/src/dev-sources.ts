/** Watches the sources of an operator: what is below `src`, beside its file, and package.json. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
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
  const follow = (place: ModulePlace) => {
    const folders = foldersOf(place);
    const same = JSON.stringify(folders);
    if (same === followed) return;
    const opened: FSWatcher[] = [];
    try {
      for (const { folder, recursive } of folders) {
        const watcher = watch(folder, { recursive }, (_, name) => noticed(place, folder, name));
        opened.push(watcher.on('error', onError));
      }
    } catch (error) {
      close(opened);
      throw error;
    }
    close(watchers);
    watchers = opened;
    followed = same;
  };
  const noticed = (place: ModulePlace, folder: string, name: string | null) => {
    if (name === null) return;
    const isReplaced = folder === place.folder && topsOf(place).has(name);
    if (isReplaced) {
      followed = ''; // a watch stays with the folder that has gone
      try {
        follow(place);
      } catch {
        // It is going at this moment; the folder of the package is watched still, and so is its return.
      }
    }
    if (isReplaced || isSource(name, folder, place)) changed(relative(place.folder, join(folder, name)));
  };
  return {
    follow,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      close(watchers);
    },
  };
}

function close(watchers: readonly FSWatcher[]): void {
  for (const each of watchers) each.close();
}

/** What the folders of sources are below, in the folder of the package: there it is seen that one is replaced. */
function topsOf({ folder, file }: ModulePlace): ReadonlySet<string> {
  return new Set([join(folder, 'src'), dirname(file)].map((each) => relative(folder, each).split(sep)[0] ?? ''));
}

function foldersOf({ folder, file }: ModulePlace): readonly { readonly folder: string; readonly recursive: boolean }[] {
  const src = join(folder, 'src');
  const below = existsSync(src) ? [src] : [];
  const beside = dirname(file);
  // In the package's own folder are node_modules, and much else that is no source.
  if (beside !== folder && relative(src, beside).startsWith('..')) below.push(beside);
  return [{ folder, recursive: false }, ...below.map((each) => ({ folder: each, recursive: true }))];
}

/** Tests, and the files that editors keep beside ours, matter to no operator. */
export function isSource(name: string, folder: string, place: ModulePlace): boolean {
  if (folder === place.folder && dirname(place.file) !== folder) return name === 'package.json';
  return /\.([mc]?[jt]sx?|json)$/.test(name) && !/\.test\.\w+$/.test(name) && !/^[.#]/.test(basename(name));
}
