/** The folder of generated files: compared with what it should hold, and made to hold it. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Files = ReadonlyMap<string, string>;

/** Paths that are missing, different, or in the folder and not in `files`; sorted. */
export function differences(folder: string, files: Files): readonly string[] {
  const present = new Set(globSync('**/*.ts', { cwd: folder }));
  const changed = [...files].filter(
    ([path, text]) => !present.has(path) || readFileSync(join(folder, path), 'utf8') !== text,
  );
  const surplus = [...present].filter((path) => !files.has(path));
  return [...changed.map(([path]) => path), ...surplus].sort();
}

/** Writes or removes the files at `paths`. */
export function write(folder: string, files: Files, paths: readonly string[]): void {
  for (const path of paths) {
    const text = files.get(path);
    const file = join(folder, path);
    if (text === undefined) {
      rmSync(file);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
