/** The process that has all test files loaded and runs one test after the other, each with the mutant that it is told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, env } from 'node:process';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@keelson/core/system';
import { beginFile, cleanUp, declared } from './node-test.ts';
import { switches } from './preload.ts';

/** What the worker is asked for. */
export interface Order {
  /** The number of the test. */
  readonly test: number;
  /** The active mutant; without one, the test is watched for those that it comes to. */
  readonly mutant?: string | undefined;
}

/** Its first message, and its answer to each order. */
export interface Answer {
  /** All tests, in the first message. */
  readonly tests?: readonly { readonly file: string; readonly name: string }[];
  /** Why the test failed. */
  readonly failure?: string | undefined;
  readonly reached: readonly string[];
  readonly cpuMs: number;
  readonly wallMs: number;
}

const reachedFile = env.KEELSON_REACHED ?? '';
let fail: ((error: unknown) => void) | undefined;
for (const event of ['uncaughtException', 'unhandledRejection', 'beforeExit'] as const) {
  process.on(event, (error: unknown) =>
    fail?.(event === 'beforeExit' ? new Error('It waits for what cannot come.') : error),
  );
}

const begun = begin(env.KEELSON_MUTANT);
for (const file of argv.slice(2)) {
  beginFile(file);
  await import(pathToFileURL(file).href);
}
const tests = declared.map(({ file, name }) => ({ file, name }));
process.send?.({ ...begun(), tests } satisfies Answer);
process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => void cleanUp().finally(() => process.exit()));

async function obey({ test, mutant }: Order): Promise<void> {
  if (mutant === undefined) delete env.KEELSON_MUTANT;
  else env.KEELSON_MUTANT = mutant;
  switches.active = mutant;
  const measured = begin(mutant);
  const failure = await failureOf(test);
  process.send?.({ ...measured(), failure } satisfies Answer);
}

async function failureOf(test: number): Promise<string | undefined> {
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  process.channel?.unref(); // a test that waits for what cannot come leaves nothing that keeps the process alive
  try {
    await Promise.race([declared[test]?.run(), failed]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    process.channel?.ref();
    fail = () => {};
  }
}

/** Begins to measure and, without a mutant, to see which ones are come to. */
function begin(mutant: string | undefined): () => Pick<Answer, 'reached' | 'cpuMs' | 'wallMs'> {
  const reached = new Set<string>();
  switches.onReached = mutant === undefined ? (id) => void reached.add(id) : undefined;
  writeFileSync(reachedFile, '');
  const begunMs = systemClock.monotonic();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    for (const id of readFileSync(reachedFile, 'utf8').split('\n').filter(Boolean)) reached.add(id);
    return { reached: [...reached], cpuMs: (user + system) / 1000, wallMs: systemClock.monotonic() - begunMs };
  };
}
