/** What one container of a simulated pod is going to do, with nothing left open: the part that it plays. */
import { controllerOf } from '@keelson/core';
import type { Container, Pod } from '@keelson/core/v1';
import { type Output, programOf } from './command.ts';

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
  readonly reason: 'ErrImagePull' | 'InvalidImageName' | 'CreateContainerConfigError';
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

/** The part of a container that was told nothing: by its command, and by what it is for. */
export function scriptOf(pod: Pod, container: Container, role: ContainerRole, pace: Pace): ContainerScript {
  const program = programOf(container);
  const delayMs = (container.readinessProbe?.initialDelaySeconds ?? 0) * 1000;
  return {
    refusal: undefined,
    startAfterMs: 0,
    output: program?.output ?? [],
    readyAfterMs: Math.max(pace.readyAfterMs, delayMs),
    failing: undefined,
    end: program ? { afterMs: program.runsForMs, exitCode: program.exitCode } : usualEnd(pod, role, pace),
    stopAfterMs: pace.stopAfterMs,
  };
}

/** What prepares a pod is done at once, and the work of a Job a second after it was ready. All others go on. */
function usualEnd(pod: Pod, role: ContainerRole, { readyAfterMs }: Pace): End | undefined {
  if (role === 'init') return { afterMs: 0, exitCode: 0 };
  const isWorkOfJob = role === 'main' && controllerOf(pod)?.kind === 'Job';
  return isWorkOfJob ? { afterMs: readyAfterMs + 1000, exitCode: 0 } : undefined;
}
