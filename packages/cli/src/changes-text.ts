/** Changes of generated files, as they are told: for people, with the lines that differ, and for scripts. */
import type { FileChange } from './generated-files.ts';
import { lineDiff } from './line-diff.ts';
import { painted } from './print.ts';
import type { Shell } from './shell.ts';

/** Whether the changes were only looked for. */
export interface CheckFlags {
  readonly check?: boolean;
}

/** For scripts. */
export function changesJson(changes: readonly FileChange[], { check }: CheckFlags): readonly object[] {
  return changes.map(check ? withDiff : told);
}

/** For people: a line for each file, and how it differs. */
export function changesText(changes: readonly FileChange[], flags: CheckFlags, shell: Shell): string {
  return changes.map((change) => textOf(change, flags, shell)).join('');
}

/** `2 files are not as generated`. */
export function changesCount({ length }: readonly FileChange[]): string {
  return `${length === 1 ? '1 file is' : `${length} files are`} not as generated`;
}

const told = ({ path, change }: FileChange) => ({ path, change });
const withDiff = (each: FileChange) => ({ ...told(each), diff: lineDiff(each.before ?? '', each.after ?? '') });

const words = { create: 'created', update: 'updated', remove: 'removed' } as const;
const wanted = { create: 'missing', update: 'differs', remove: 'left over' } as const;
const styles = { create: 'green', update: 'yellow', remove: 'red' } as const;

function textOf({ path, change, before = '', after = '' }: FileChange, { check }: CheckFlags, shell: Shell): string {
  const word = (check ? wanted : words)[change];
  const head = `${painted(shell, styles[change], word.padEnd(check ? 9 : 7))}  ${path}\n`;
  return check && change === 'update' ? `${head}${colored(lineDiff(before, after), shell)}` : head;
}

const colored = (lines: readonly string[], shell: Shell): string =>
  lines
    .map(
      (line) =>
        `    ${line.startsWith('+') ? painted(shell, 'green', line) : line.startsWith('-') ? painted(shell, 'red', line) : line}\n`,
    )
    .join('');
