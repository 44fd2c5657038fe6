/**
 * A throw-away copy of this checkout, in which a test may plant mistakes.
 *
 * Promises: the copy has every file that git knows or would add; what the packages import from each other is the
 * copy's, everything else under node_modules is the original's; disposing it removes all of it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { root } from '../src/workspace.ts';

export interface CheckRun {
  readonly ok: boolean;
  /** What each check printed, by its name; empty where it passed. */
  readonly failures: Readonly<Record<string, string>>;
  readonly output: string;
}

export interface Checkout extends Disposable {
  /** Appends to a file, which need not exist. */
  plant(path: string, text: string): void;
  /** Runs the copy's own check.ts. */
  check(...names: readonly string[]): CheckRun;
}

/** Links that stay inside node_modules, so that a copy of them points into the copy. */
const copied = new Set(['.bin', '@keelson']);

export function copyOfCheckout(): Checkout {
  // The real path, because that is how the tools name files in what they print.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'keelson-checkout-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of new Set(listed.toString().split('\0'))) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
  }
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const [from, to] = [join(root, 'node_modules', name), join(folder, 'node_modules', name)];
    if (copied.has(name)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, to);
  }

  return {
    plant(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      appendFileSync(join(folder, path), text);
    },
    check(...names) {
      // These failures are expected: they must not reach the count of the run that we are part of.
      const { KEELSON_RESULTS: _, ...rest } = env;
      const { status, stdout, stderr } = spawnSync(execPath, ['tools/repo/src/check.ts', ...names], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...rest, PATH: join(folder, 'node_modules/.bin') + delimiter + env.PATH },
      });
      const sections = stdout.split(/^(ok|FAILED) +(\w+) .*\n/m);
      const failures: Record<string, string> = {};
      for (let i = 1; i + 2 < sections.length; i += 3) {
        if (sections[i] === 'FAILED') failures[sections[i + 1] ?? ''] = sections[i + 2] ?? '';
      }
      return { ok: status === 0, failures, output: stdout + stderr };
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}
