/** What one container of a simulated pod is going to do, with nothing left open: the part that it plays. */
import { controllerOf } from '@keelson/core';
import type { Container, Pod } from '@keelson/core/v1';
import type { PodBehaviour } from '../pods/behaviour.ts';
import { type Output, programOf } from './command.ts';
import { whyInvalid } from './image-name.ts';

export interface ContainerScript {
  /** Why it cannot be started; `undefined` when it can. */
  readonly refusal: Refusal | undefined;
  /** How long it takes until it is started. */
  readonly startAfterMs: number;
  /** What is written to the log of each run. */
  readonly output: readonly Output[];
  /** How long a run lasts before the container is ready. */
  readonly readyAfterMs: number;
  /** The probe that fails, and what it says. */
  readonly failing: FailingProbe | undefined;
  /** How a run ends by itself; `undefined` when it does not. */
  readonly end: End | undefined;
  /** How long the container takes to stop when it is asked to. */
  readonly stopAfterMs: number;
}

export interface Refusal {
  readonly reason: 'ErrImagePull' | 'ErrImageNeverPull' | 'InvalidImageName';
  readonly message: string;
}

export interface FailingProbe {
  readonly probe: 'readiness' | 'liveness' | 'startup';
  readonly message: string;
}

export interface End {
  /** Counted from the start of the run. */
  readonly afterMs: number;
  readonly exitCode: number;
  /** @default `Completed` for the code 0, `Error` for all others */
  readonly reason?: string | undefined;
  /** What the container left as its termination message. */
  readonly message?: string | undefined;
}

/** How long containers take unless something else is said. */
export interface Pace {
  readonly readyAfterMs: number;
  readonly stopAfterMs: number;
}

/** What a container is for: to prepare, to run beside the others from before they start, or to do the pod's work. */
export type ContainerRole = 'init' | 'sidecar' | 'main';

/** What a container does by what it was told, and for the rest by its command and by what it is for. */
export function scriptOf(
  pod: Pod,
  container: Container,
  role: ContainerRole,
  pace: Pace,
  told: PodBehaviour = {},
): ContainerScript {
  const program = programOf(container);
  const output = told.log === undefined ? (program?.output ?? []) : [{ afterMs: 0, text: lines(told.log) }];
  const usual = program ? { afterMs: program.runsForMs, exitCode: program.exitCode } : usualEnd(pod, role, pace);
  const end = toldEnd(told) ?? (usual && { ...usual, afterMs: told.exitAfterMs ?? usual.afterMs });
  const delayMs = (container.readinessProbe?.initialDelaySeconds ?? 0) * 1000;
  return {
    refusal: refusalOf(container, told),
    startAfterMs: told.startAfterMs ?? 0,
    output,
    readyAfterMs: told.readyAfterMs ?? Math.max(pace.readyAfterMs, delayMs),
    failing: failingProbe(pod, container, told),
    end: end && { ...end, message: end.message ?? lastWords(container, end, output) },
    stopAfterMs: told.stopAfterMs ?? pace.stopAfterMs,
  };
}

function toldEnd({ fails, exitCode, exitAfterMs, message }: PodBehaviour): End | undefined {
  if (fails === 'OOMKilled') return { afterMs: exitAfterMs ?? 1000, exitCode: 137, reason: 'OOMKilled', message };
  if (fails === 'CrashLoopBackOff') return { afterMs: exitAfterMs ?? 1000, exitCode: exitCode ?? 1, message };
  return exitCode === undefined ? undefined : { afterMs: exitAfterMs ?? 0, exitCode, message };
}

/** What prepares a pod is done at once, and the work of a Job a second after it was ready. All others go on. */
function usualEnd(pod: Pod, role: ContainerRole, { readyAfterMs }: Pace): End | undefined {
  if (role === 'init') return { afterMs: 0, exitCode: 0 };
  const isWorkOfJob = role === 'main' && controllerOf(pod)?.kind === 'Job';
  return isWorkOfJob ? { afterMs: readyAfterMs + 1000, exitCode: 0 } : undefined;
}

function refusalOf({ image = '', imagePullPolicy }: Container, { fails, message }: PodBehaviour): Refusal | undefined {
  const problem = whyInvalid(image);
  if (problem) return { reason: 'InvalidImageName', message: problem };
  if (fails !== 'ImagePullBackOff') return undefined;
  if (imagePullPolicy === 'Never') {
    const absent = `Container image "${image}" is not present with pull policy of Never`;
    return { reason: 'ErrImageNeverPull', message: absent };
  }
  const usual = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
  return { reason: 'ErrImagePull', message: message ?? usual };
}

const probes: Readonly<Partial<Record<NonNullable<PodBehaviour['fails']>, FailingProbe['probe']>>> = {
  ReadinessProbe: 'readiness',
  LivenessProbe: 'liveness',
  StartupProbe: 'startup',
};

function failingProbe(
  { status }: Pod,
  container: Container,
  { fails, message }: PodBehaviour,
): FailingProbe | undefined {
  const probe = fails && probes[fails];
  if (probe === undefined) return undefined;
  const { httpGet, tcpSocket } = container[`${probe}Probe`] ?? {};
  const usual = tcpSocket
    ? `dial tcp ${status.podIP ?? ''}:${tcpSocket.port}: connect: connection refused`
    : httpGet
      ? 'HTTP probe failed with statuscode: 503'
      : '';
  return { probe, message: message ?? usual };
}

/** A container that fails without a termination message may leave its log as such, as far as it was written by then. */
function lastWords({ terminationMessagePolicy }: Container, { exitCode, afterMs }: End, output: readonly Output[]) {
  if (exitCode === 0 || terminationMessagePolicy !== 'FallbackToLogsOnError') return undefined;
  const written = output.filter((each) => each.afterMs <= afterMs).map(({ text }) => text);
  return written.join('').slice(-2048) || undefined;
}

const lines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
