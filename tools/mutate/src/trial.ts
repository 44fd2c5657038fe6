/**
 * Tries mutants: which tests come to which, and whether one of them fails.
 *
 * A failure counts when the same test passes right afterwards without the mutant, or when it happened in a process in
 * which nothing else had run: what an earlier mutant left behind kills nobody.
 */
import type { Limits, TestProcess } from './test-process.ts';

/** What became of a mutant. */
export type Outcome =
  | { readonly type: 'killed'; readonly by: string; readonly failure: string }
  | { readonly type: 'endless'; readonly by: string }
  | { readonly type: 'survived'; readonly tests: number }
  | { readonly type: 'unreached' };

interface MeasuredTest {
  readonly number: number;
  readonly name: string;
  readonly reached: ReadonlySet<string>;
  readonly cpuMs: number;
  readonly limits: Limits;
}

/** Which tests there are, and what they come to. */
export interface Baseline {
  /** The cheapest first. */
  readonly tests: readonly MeasuredTest[];
  /** What runs when modules are loaded. */
  readonly whileLoading: ReadonlySet<string>;
}

/** Runs all tests without a mutant; throws if one fails. */
export async function measure(process: TestProcess): Promise<Baseline> {
  const { tests = [], reached } = await process.started;
  const measured: MeasuredTest[] = [];
  for (const [number, { file, name }] of tests.entries()) {
    const run = () => process.run({ test: number }, { cpuMs: 300_000, idleMs: 120_000, wallMs: 600_000 });
    let answer = await run();
    if (answer.failure !== undefined) answer = await run(); // a busy machine makes real time scarce
    if (answer.failure !== undefined)
      throw new Error(`Without a mutant, "${name}" of ${file} fails: ${answer.failure}`);
    const { cpuMs, wallMs } = answer;
    const idleMs = 3000 + 2 * Math.max(wallMs - cpuMs, 0);
    const limits = { cpuMs: 5 * cpuMs + 1000, idleMs, wallMs: 10 * wallMs + 20_000 };
    measured.push({ number, name, reached: new Set(answer.reached), cpuMs, limits });
  }
  return { tests: measured.sort((a, b) => a.cpuMs - b.cpuMs), whileLoading: new Set(reached) };
}

/** How mutants are tried. */
export interface TrialsOptions {
  readonly baseline: Baseline;
  /** Starts a process; a mutant is given if it is to be active while modules load. */
  readonly start: (mutant?: string) => TestProcess;
  /** Tests that use more are left out where a cheaper one comes to the mutant: they may kill it, and nobody sees it. */
  readonly mostCpuMs: number;
}

export class Trials implements AsyncDisposable {
  readonly #options: TrialsOptions;
  #process: TestProcess | undefined;

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  async try(id: string): Promise<Outcome> {
    const { tests, whileLoading } = this.#options.baseline;
    const reaching = this.#affordable(tests.filter(({ reached }) => reached.has(id)));
    if (whileLoading.has(id)) {
      const file = id.slice(0, id.indexOf('#') + 1);
      const concerned = tests.filter(({ reached }) => [...reached].some((each) => each.startsWith(file)));
      return this.#tryAfresh(id, new Set([...reaching, ...this.#affordable(concerned)]));
    }
    if (reaching.length === 0) return { type: 'unreached' };
    this.#process ??= this.#options.start();
    const outcome = await this.#tryIn(this.#process, id, reaching);
    if (outcome !== undefined) return outcome;
    await this.#discard();
    return this.#tryAfresh(id, reaching);
  }

  #affordable(tests: readonly MeasuredTest[]): readonly MeasuredTest[] {
    const cheap = tests.filter(({ cpuMs }) => cpuMs <= this.#options.mostCpuMs);
    return cheap.length > 0 ? cheap : tests;
  }

  /** In a process of its own. */
  async #tryAfresh(id: string, tests: Iterable<MeasuredTest>): Promise<Outcome> {
    await using process = this.#options.start(id);
    try {
      await process.started;
    } catch (error) {
      return { type: 'killed', by: 'loading', failure: String(error) };
    }
    let count = 0;
    for (const test of tests) {
      count += 1;
      const failure = await failureOf(process, test, id);
      if (failure === endless) return { type: 'endless', by: test.name };
      if (failure !== undefined) return { type: 'killed', by: test.name, failure };
    }
    return { type: 'survived', tests: count };
  }

  /** Undefined if the process is not to be trusted any more. */
  async #tryIn(process: TestProcess, id: string, tests: readonly MeasuredTest[]): Promise<Outcome | undefined> {
    await process.started;
    for (const test of tests) {
      const failure = await failureOf(process, test, id);
      if (failure === endless) {
        await this.#discard();
        return { type: 'endless', by: test.name };
      }
      if (failure === undefined) continue;
      return (await failureOf(process, test)) === undefined ? { type: 'killed', by: test.name, failure } : undefined;
    }
    return { type: 'survived', tests: tests.length };
  }

  async #discard(): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    this.#process = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#discard();
  }
}

const endless = 'The process was ended.';

async function failureOf(process: TestProcess, test: MeasuredTest, mutant?: string): Promise<string | undefined> {
  try {
    return (await process.run({ test: test.number, mutant }, test.limits)).failure;
  } catch {
    return endless;
  }
}
