/**
 * Kubernetes' own end-to-end tests, for a cluster that somebody else runs, such as the embedded one.
 *
 * The program is built of the tests of k8s.io/kubernetes if need be. It takes one time limit for a whole run and none for
 * a spec, so that each spec is run alone; starting it takes a second.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@keelson/core/system';
import { findPrograms } from './binaries/lookup.ts';
import { progressTo } from './machine/progress.ts';
import { type Finished, lastLine, run } from './processes/run.ts';

export interface E2eSuite {
  /** The full names of all specs. */
  readonly specs: readonly string[];
  /** Runs one of them. Throws if the program did not get to its end. */
  run(name: string, options: E2eRunOptions): Promise<E2eResult>;
}

export interface E2eRunOptions {
  readonly kubeconfig: string;
  /** When this is over, the spec has failed. */
  readonly timeoutMs: number;
}

export interface E2eResult {
  /** As ginkgo calls it: `passed`, `failed`, `timedout`, `skipped` and so on. */
  readonly state: string;
  /** Why it failed; empty if it did not. */
  readonly message: string;
  readonly durationMs: number;
}

/** One spec in ginkgo's report, as far as it is read here. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/** Finds the program, which is built if need be, and asks it for its specs. */
export async function e2eSuite(): Promise<E2eSuite> {
  const progress = progressTo(process.stderr, systemClock);
  const context = { env: process.env, clock: systemClock, random: systemRandom, progress };
  const programs = await findPrograms(['kubectl', 'e2e.test'], undefined, context);
  const program = programs.path('e2e.test');
  const listed = await run([program, '--list-tests']);
  if (listed.code !== 0) throw ended(listed);
  return {
    specs: specsIn(listed.stdout + listed.stderr),
    async run(name, { kubeconfig, timeoutMs }) {
      const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-'));
      try {
        const file = join(folder, 'kubeconfig');
        await writeFile(file, kubeconfig, { mode: 0o600 });
        const report = join(folder, 'report.jsonl');
        const finished = await run([
          program,
          `--kubeconfig=${file}`,
          `--kubectl-path=${programs.path('kubectl')}`,
          '--provider=skeleton',
          '--minStartupPods=-1',
          '--allowed-not-ready-nodes=-1',
          `--ginkgo.focus=${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`,
          `--ginkgo.timeout=${timeoutMs}ms`,
          '--ginkgo.grace-period=10s',
          '--ginkgo.no-color',
          `--spec-dump=${report}`,
        ]);
        const lines = await readFile(report, 'utf8').catch(() => '');
        const result = resultIn(lines, name);
        if (result === undefined) throw ended(finished);
        return result;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** The names in what `--list-tests` prints: a file and a line before each. */
export function specsIn(listed: string): string[] {
  return [...listed.matchAll(/^ {4}\S+:\d+: (.+)$/gm)].flatMap(([, name]) => name ?? []);
}

/** What became of a spec, by the report: a line for each spec, those left out included. */
export function resultIn(report: string, name: string): E2eResult | undefined {
  for (const line of report.split('\n').filter(Boolean)) {
    const {
      ContainerHierarchyTexts: texts,
      LeafNodeText: leaf,
      State,
      RunTime,
      Failure,
    } = JSON.parse(line) as SpecReport;
    if ([...(texts ?? []), leaf].join(' ') !== name) continue;
    return { state: State, message: Failure?.Message ?? '', durationMs: Math.round(RunTime / 1e6) };
  }
  return undefined;
}

function ended({ code, stdout, stderr }: Finished): Error {
  return new Error(`e2e.test ended with ${code}: ${lastLine(stderr) || lastLine(stdout)}`);
}
