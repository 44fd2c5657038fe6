/**
 * Stands in for `node:test` in the process that tries the mutants: tests are remembered when they are declared, and run
 * when they are asked for, again and again.
 */
import { mock } from 'node:test';

type Work = (context: object) => unknown;

/** A test that was declared. */
export interface DeclaredTest {
  readonly file: string;
  readonly name: string;
  run(): Promise<void>;
}

export const declared: DeclaredTest[] = [];
const setUps = new Map<string, { done: boolean; readonly works: Work[] }>();
const cleanUps: Work[] = [];
let file = '';

/** The tests that are declared from now on are of this file. */
export function beginFile(name: string): void {
  file = name;
  setUps.set(name, { done: false, works: [] });
}

/** What `after` asked for at the end of a file. */
export async function cleanUp(): Promise<void> {
  for (const each of cleanUps) await each({});
}

export function test(name: string, ...rest: readonly unknown[]): void {
  const work = rest.at(-1) as Work;
  const setUp = setUps.get(file);
  const options = rest.length > 1 ? (rest[0] as { skip?: unknown }) : {};
  if (options.skip) return;
  declared.push({ file, name, run });

  async function run(): Promise<void> {
    if (setUp?.done === false) {
      setUp.done = true;
      for (const each of setUp.works) await each({});
    }
    const after: Work[] = [];
    const context = {
      name,
      mock,
      diagnostic() {},
      after: (each: Work) => void after.push(each),
      test: async (_: string, ...inner: readonly unknown[]) => void (await (inner.at(-1) as Work)(context)),
    };
    try {
      await work(context);
    } finally {
      for (const each of after) await each(context);
      mock.restoreAll();
    }
  }
}

export const it = test;

export function describe(_: string, work: () => void): void {
  work();
}

export function before(work: Work): void {
  setUps.get(file)?.works.push(work);
}

export function after(work: Work): void {
  cleanUps.push(work);
}
