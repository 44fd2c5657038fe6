/** Tells what happens in a cluster: from watch events to lines for people. Pure. */
import type { InformerEvent } from '@keelson/client';
import type { KubernetesObject, ReportedCondition } from '@keelson/core';
import type { Deployment } from '@keelson/core/apps/v1';
import type { CronJob, Job } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';

export interface Line {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
  readonly mood: 'good' | 'bad' | 'neutral';
}

type Mood = Line['mood'];
type Told = readonly [text: string, mood: Mood] | undefined;

/** An object that tells how it is by conditions. */
interface Reporting extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly ReportedCondition[] | undefined } | undefined;
}

const lineOf = ({ object: { kind, metadata } }: InformerEvent<KubernetesObject>, told: Told): Line | undefined =>
  told && { kind, name: metadata.name, text: told[0], mood: told[1] };

/** A custom resource: what was asked for, as `asked` says it, and its conditions as they change. */
export function aboutCustomResource<T extends Reporting>(event: InformerEvent<T>, asked: (object: T) => string) {
  return lineOf(event, toldOfCustomResource(event, asked));
}

function toldOfCustomResource<T extends Reporting>(event: InformerEvent<T>, asked: (object: T) => string): Told {
  if (event.type === 'deleted') return ['deleted', 'neutral'];
  if (event.type === 'added') return [`created, ${asked(event.object)}`, 'neutral'];
  const { object, previous } = event;
  if (asked(previous) !== asked(object)) return [`${asked(previous)} → ${asked(object)}`, 'neutral'];
  if (previous.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined)
    return ['is being deleted', 'neutral'];
  const news = object.status?.conditions?.filter((condition) => {
    const before = previous.status?.conditions?.find(({ type }) => type === condition.type);
    return before?.status !== condition.status || before.reason !== condition.reason;
  });
  if (!news?.length) return undefined;
  const isTrue = (...types: readonly string[]) =>
    news.some(({ type, status }) => types.includes(type) && status === 'True');
  const mood = isTrue('Degraded') ? 'bad' : isTrue('Available', 'Complete', 'Scheduled') ? 'good' : 'neutral';
  return [news.map(({ type, status, reason }) => `${type}=${status} (${reason})`).join(', '), mood];
}

export function aboutDeployment(event: InformerEvent<Deployment>): Line | undefined {
  const ready = ({ spec, status }: Deployment) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 1} ready`;
  return lineOf(
    event,
    toldBy(event, ready, ({ spec, status }) => status.readyReplicas === spec.replicas),
  );
}

export function aboutPod(event: InformerEvent<Pod>): Line | undefined {
  const told = event.type === 'added' ? stateOf(event.object) : undefined;
  return lineOf(
    event,
    told ? [told, 'neutral'] : toldBy(event, stateOf, (pod) => ['ready', 'succeeded'].includes(stateOf(pod))),
  );
}

export function aboutJob(event: InformerEvent<Job>): Line | undefined {
  const state = ({ status }: Job) =>
    status.conditions
      ?.find(({ type, status: value }) => value === 'True' && ['Complete', 'Failed'].includes(type))
      ?.type.toLowerCase() ?? `${status.active ?? 0} active`;
  return lineOf(
    event,
    toldBy(event, state, (job) => state(job) === 'complete'),
  );
}

export function aboutCronJob(event: InformerEvent<CronJob>): Line | undefined {
  const state = ({ spec, status }: CronJob) =>
    status?.lastScheduleTime ? `ran at ${status.lastScheduleTime}` : spec.schedule;
  return lineOf(
    event,
    toldBy(event, state, () => true),
  );
}

/** A built-in object: that it is there, gone, or in another state. */
function toldBy<T extends KubernetesObject>(
  event: InformerEvent<T>,
  state: (object: T) => string,
  isGood: (object: T) => boolean,
): Told {
  const { object } = event;
  if (event.type === 'deleted') return ['deleted', 'neutral'];
  if (event.type === 'added') return [`created, ${state(object)}`, 'neutral'];
  return state(event.previous) === state(object) ? undefined : [state(object), moodOf(state(object), isGood(object))];
}

const moodOf = (state: string, isGood: boolean): Mood => (state === 'failed' ? 'bad' : isGood ? 'good' : 'neutral');

function stateOf({ metadata, spec, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  if (status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return 'ready';
  if (status.phase === 'Pending') return spec.nodeName ? `starting on ${spec.nodeName}` : 'pending';
  return (status.phase ?? 'unknown').toLowerCase();
}

const colors = { good: '32', bad: '31', neutral: '0' } as const;

/** One line, in colour or plain. */
export function painted({ kind, name, text, mood }: Line, inColor: boolean): string {
  const subject = `${kind.padEnd(13)} ${name}`;
  return inColor ? `\u001b[36m${subject}\u001b[0m  \u001b[${colors[mood]}m${text}\u001b[0m` : `${subject}  ${text}`;
}
