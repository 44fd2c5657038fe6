/** Lets a pod live on paper for a while, and writes down what there was to report. */
import type { ContainerStatus, Pod } from '@keelson/core/v1';
import { type PodEvent, PodLife } from '../src/node/pod-life.ts';
import type { PodReport } from '../src/node/pod-status.ts';
import { scriptOf } from '../src/node/script.ts';
import type { PodBehaviour } from '../src/pods/behaviour.ts';
import { type PodChanges, pod } from './pods.ts';

export const epoch = Date.parse('2026-01-01T00:00:00Z');
export const sh = (name: string, script: string, more: object = {}) => ({
  name,
  image: 'busybox:stable',
  command: ['sh', '-c', script],
  ...more,
});

interface Played {
  /** When something changed, and what was to be read then. */
  readonly story: readonly string[];
  readonly events: readonly string[];
  readonly pod: Pod;
  readonly life: PodLife;
}

interface Stage {
  /** What its containers are told; it may depend on the second. */
  readonly told?: PodBehaviour | ((seconds: number) => PodBehaviour);
  /** The second in which it is asked to stop, with a grace of two. */
  readonly stopAt?: number;
}

/** Lets a pod live for so many seconds, and writes down what there was to report. */
export function play(
  spec: NonNullable<PodChanges['spec']>,
  seconds: number,
  { told = {}, stopAt }: Stage = {},
): Played {
  const story: string[] = [];
  const events: string[] = [];
  let subject: Pod = pod('a', { spec, status: { phase: 'Pending' } });
  let ids = 0;
  let ms = 0;
  const now = () => ({ wallMs: epoch + ms, monotonicMs: ms });
  const behaviour = () => (typeof told === 'function' ? told(ms / 1000) : told);
  const life = new PodLife(
    subject,
    {
      script: (of, container, role) =>
        scriptOf(of, container, role, { readyAfterMs: 0, stopAfterMs: 1000 }, behaviour()),
      newAddress: () => '10.244.0.2',
      newId: () => `simulated://${++ids}`,
      tell: (_, { type, reason, message, fieldPath = '' }: PodEvent) =>
        events.push(`${type} ${reason} ${fieldPath}: ${message}`),
    },
    now(),
  );
  const report = () => {
    const said = life.report(subject, now());
    subject = { ...subject, status: { ...subject.status, ...said } };
    const line = `${summary(said)}`;
    if (!story.at(-1)?.endsWith(` ${line}`)) story.push(`${ms / 1000} ${line}`);
    return said.phase === 'Succeeded' || said.phase === 'Failed';
  };
  report();
  for (let isOver = false; !isOver && ms <= seconds * 1000; ) {
    if (stopAt !== undefined && ms >= stopAt * 1000) life.stop(subject, 2000, now());
    const leftMs = life.advance(subject, now());
    isOver = report();
    const next = leftMs === undefined ? seconds * 1000 + 1 : ms + leftMs;
    ms = stopAt !== undefined && ms < stopAt * 1000 ? Math.min(next, stopAt * 1000) : next;
  }
  return { story, events, pod: subject, life };
}

function summary({ phase, initContainerStatuses: init = [], containerStatuses: main = [] }: PodReport): string {
  return [phase, ...[...init, ...main].map(shown)].join(' ');
}

function shown({ name, state = {}, restartCount, ready }: ContainerStatus): string {
  const { waiting, running, terminated } = state;
  const what = waiting?.reason ?? (running ? 'running' : `${terminated?.reason}(${terminated?.exitCode})`);
  return `${name}=${what}${ready ? '+' : ''}${restartCount > 0 ? `×${restartCount}` : ''}`;
}

export const conditionsOf = ({ status }: Pod) =>
  Object.fromEntries(
    (status.conditions ?? []).map(({ type, status: is, reason, message }) => [
      type,
      [is, reason, message].filter(Boolean).join(' '),
    ]),
  );
