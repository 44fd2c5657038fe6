/** Runs files of tests, each in a process, shows how they go and counts. A run that is interrupted ends its processes. */
import { stdout } from 'node:process';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import tally, { type Tally } from './tally.ts';

/** The files start in this order, so many at a time. What an interruption keeps from its end counts as failed. */
export async function runTests(files: readonly string[], concurrency: number): Promise<Tally> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const events = run({ files, concurrency, signal: interruption.signal });
  const printed = events.pipe(new spec());
  printed.pipe(stdout, { end: false });
  let counted = '';
  for await (const text of tally(events)) counted += text;
  await finished(printed);
  return JSON.parse(counted) as Tally;
}
