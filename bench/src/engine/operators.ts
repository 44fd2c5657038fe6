/** The operators that are compared, as processes: what they took, as Linux and the API server count it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Clock, deadline } from '@keelson/core';
import { buildGoModule, freePorts } from '@keelson/tools-kubernetes';
import { imageEnvironment } from '../../../packages/generate/src/scaffold/image-environment.ts';
import { processorMs } from '../start/processor-time.ts';

/** One way to write the operator. */
export interface Operator {
  readonly name: string;
  command(settings: OperatorSettings & Ports): readonly [program: string, ...args: string[]];
}

/** Where it shows its metrics and its health. */
interface Ports {
  readonly metricsPort: number;
  readonly healthPort: number;
}

export interface OperatorSettings {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly workers: number;
}

/** @param subjects the folder with the compiled programs */
export const ourOperator = (subjects: string): Operator => nodeOperator('ours', join(subjects, 'operator.js'));

/** Does what no operator can do without, and no more. */
export const barestOperator = (subjects: string): Operator => nodeOperator('the limit', join(subjects, 'barest.js'));

function nodeOperator(name: string, program: string): Operator {
  return {
    name,
    // More options of Node than those of the images: to profile it, or to try some.
    command: ({ kubeconfig, namespace, metricsPort, healthPort }) => [
      execPath,
      ...(env.OPERATOR_NODE_OPTIONS?.split(' ') ?? []),
      program,
      ...['--kubeconfig', kubeconfig, '--namespace', namespace],
      ...['--metrics-port', String(metricsPort), '--health-port', String(healthPort)],
    ],
  };
}

/** On controller-runtime, in two ways. */
export async function goOperators(): Promise<readonly Operator[]> {
  const program = await buildGoModule(fileURLToPath(new URL('../../go', import.meta.url)), 'bench-operator');
  return [
    { name: 'Go, by CreateOrUpdate', flags: [] },
    { name: 'Go, by server-side apply', flags: ['--apply'] },
  ].map(({ name, flags }) => ({
    name,
    command: ({ kubeconfig, namespace, workers }) => [
      program,
      ...flags,
      ...['--kubeconfig', kubeconfig, '--namespace', namespace, '--workers', String(workers)],
    ],
  }));
}

/** What a process took so far. */
interface Consumption {
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly residentMb: number;
  readonly anonymousMb: number;
}

/** Ten thousand resources take minutes on two calm cores. */
const withinMs = 1_800_000;

export async function startOperator(
  operator: Operator,
  settings: OperatorSettings,
  clock: Clock,
): Promise<OperatorProcess> {
  const [metricsPort = 0, healthPort = 0] = await freePorts('127.0.0.1', 2);
  return new OperatorProcess(operator.command({ ...settings, metricsPort, healthPort }), settings, clock);
}

class OperatorProcess implements AsyncDisposable {
  readonly #child;
  readonly #ended: Promise<void>;
  readonly #clock: Clock;
  readonly #begunAt: number;
  readonly #startedMs: Promise<number>;
  #lastLines: string[] = [];
  #isDisposed = false;

  constructor([program, ...args]: ReturnType<Operator['command']>, { workers }: OperatorSettings, clock: Clock) {
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    this.#child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'], // both log to standard error
      env: { ...env, ...imageEnvironment, WORKERS: String(workers) },
    });
    this.#ended = new Promise((resolve) => void this.#child.once('close', () => resolve()));
    this.#startedMs = new Promise((resolve) => {
      createInterface({ input: this.#child.stderr }).on('line', (line) => {
        // Both say so when their caches are complete.
        if (line.includes('"Starting workers"')) resolve(clock.monotonic() - this.#begunAt);
        this.#lastLines = [...this.#lastLines.slice(-4), line];
      });
    });
  }

  /** From the start of the process until its caches are complete. */
  async startedMs(): Promise<number> {
    return await this.until(this.#startedMs, 'its caches');
  }

  /** Waits for something that this operator brings about; rejects when it ends before. */
  async until<T>(what: Promise<T>, name: string): Promise<T> {
    using limit = deadline(this.#clock, withinMs, `waiting for ${name}`);
    const failed = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
      void this.#ended.then(() => {
        if (!this.#isDisposed) reject(new Error(`the operator has ended: ${this.#lastLines.join('\n')}`));
      });
    });
    return await Promise.race([what, failed]);
  }

  consumption(): Consumption {
    const { pid = 0 } = this.#child;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1.024e-3;
    return {
      cpuMs: processorMs([pid]),
      peakMb: mb('VmHWM'),
      residentMb: mb('VmRSS'),
      anonymousMb: mb('RssAnon'),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#child.kill(env.OPERATOR_NODE_OPTIONS === undefined ? 'SIGKILL' : 'SIGTERM'); // a profile is written at the end
    await this.#ended;
  }
}
