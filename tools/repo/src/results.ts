/**
 * What the commands of this repository counted.
 *
 * Each command ends with `<command>: N passed, N failed`. When KEELSON_RESULTS names a file, the count is appended
 * there too, and `.ci/run` adds the lines up.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { env } from 'node:process';

export interface Result {
  readonly command: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function sentence({ passed, failed, skipped }: Omit<Result, 'command'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Prints the closing line of a command and records it for `.ci/run`. */
export function report(result: Result): void {
  console.log(`${result.command}: ${sentence(result)}`);
  if (env.KEELSON_RESULTS) appendFileSync(env.KEELSON_RESULTS, `${JSON.stringify(result)}\n`);
}

/** The sum of all results in a file that `report` has written. */
export function total(file: string): Omit<Result, 'command'> {
  const results = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result);
  const sum = (field: 'passed' | 'failed' | 'skipped') => results.reduce((n, result) => n + result[field], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new TypeError('usage: results.ts FILE');
  console.log(sentence(total(file)));
}
