/** Tells what happens in a cluster: from watch events to lines for people. Pure. */
import type { InformerEvent } from '@keelson/client';
import type { Deployment } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import type { Memcached } from '@keelson/memcached-operator';

export interface Line {
  readonly kind: 'Memcached' | 'Deployment' | 'Pod';
  readonly name: string;
  readonly text: string;
  readonly mood: 'good' | 'bad' | 'neutral';
}

export function aboutMemcached(event: InformerEvent<Memcached>): Line | undefined {
  const { metadata, spec, status } = event.object;
  const line = (text: string, mood: Line['mood'] = 'neutral'): Line => ({
    kind: 'Memcached',
    name: metadata.name,
    text,
    mood,
  });
  if (event.type === 'deleted') return line('deleted');
  if (event.type === 'added') return line(`created, size ${spec.size}`);
  const { previous } = event;
  if (previous.spec.size !== spec.size) return line(`size ${previous.spec.size} → ${spec.size}`);
  if (previous.metadata.deletionTimestamp === undefined && metadata.deletionTimestamp !== undefined)
    return line('is being deleted');
  const news = status?.conditions?.filter((condition) => {
    const before = previous.status?.conditions?.find(({ type }) => type === condition.type);
    return before?.status !== condition.status || before.reason !== condition.reason;
  });
  if (!news?.length) return undefined;
  const told = news.map(({ type, status: value, reason }) => `${type}=${value} (${reason})`).join(', ');
  const isBad = news.some(({ type, status: value }) => type === 'Degraded' && value === 'True');
  const isGood = news.some(({ type, status: value }) => type === 'Available' && value === 'True');
  return line(told, isBad ? 'bad' : isGood ? 'good' : 'neutral');
}

export function aboutDeployment(event: InformerEvent<Deployment>): Line | undefined {
  const { metadata, spec, status } = event.object;
  const line = (text: string, mood: Line['mood'] = 'neutral'): Line => ({
    kind: 'Deployment',
    name: metadata.name,
    text,
    mood,
  });
  if (event.type === 'deleted') return line('deleted', 'bad');
  const ready = `${status.readyReplicas ?? 0}/${spec.replicas ?? 1} ready`;
  if (event.type === 'added') return line(`created, ${ready}`);
  const { previous } = event;
  const before = `${previous.status.readyReplicas ?? 0}/${previous.spec.replicas ?? 1} ready`;
  if (before === ready) return undefined;
  return line(ready, status.readyReplicas === spec.replicas ? 'good' : 'neutral');
}

export function aboutPod(event: InformerEvent<Pod>): Line | undefined {
  const { metadata } = event.object;
  const state = event.type === 'deleted' ? 'deleted' : stateOf(event.object);
  if (event.type === 'updated' && stateOf(event.previous) === state) return undefined;
  return { kind: 'Pod', name: metadata.name, text: state, mood: state === 'ready' ? 'good' : 'neutral' };
}

function stateOf({ metadata, spec, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  if (status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return 'ready';
  if (status.phase === 'Pending') return spec.nodeName ? `starting on ${spec.nodeName}` : 'pending';
  return (status.phase ?? 'unknown').toLowerCase();
}

const colors = { good: '32', bad: '31', neutral: '0' } as const;

/** One line, in colour or plain. */
export function painted({ kind, name, text, mood }: Line, inColor: boolean): string {
  const subject = `${kind.padEnd(10)} ${name}`;
  return inColor ? `\u001b[36m${subject}\u001b[0m  \u001b[${colors[mood]}m${text}\u001b[0m` : `${subject}  ${text}`;
}
