/** Chapters of a story that any cluster is told: what can be read afterwards, without what differs between two runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Kind } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { Event } from '@keelson/core/events/v1';
import { Namespace, Pod, ServiceAccount } from '@keelson/core/v1';
import type { Server } from './behaviour.ts';

/** Does something in a namespace of its own, and returns what can be read then. */
export type Chapter = (server: Server, namespace: string) => Promise<unknown>;

/** Tells a chapter in a namespace of its own, which has the same name everywhere: it is part of what is read. */
export async function tell(server: Server, name: string, chapter: Chapter): Promise<unknown> {
  const { client, eventually } = server;
  const namespace = name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  await client.create(Namespace, { metadata: { name: namespace } });
  await eventually('the service account', () => client.find(ServiceAccount, `${namespace}/default`));
  const waiting: Server['eventually'] = (what, check) => eventually(`${what} in ${namespace}`, check);
  return chapter({ ...server, eventually: waiting }, namespace);
}

const controllers = ['job-controller', 'cronjob-controller', 'ttl-after-finished-controller'];

/** Jobs, CronJobs, their pods, and what their controllers have said, once each reason was given so often. */
export async function readNamespace(
  { client, eventually }: Server,
  namespace: string,
  reasons: Readonly<Record<string, number>>,
): Promise<unknown> {
  const events = await eventually(`the events ${Object.keys(reasons)}`, async () => {
    const { items } = await client.list(Event, { namespace });
    const told = items.filter(({ reportingController = '' }) => controllers.includes(reportingController));
    const often = (reason: string) => told.filter((each) => each.reason === reason).length;
    return Object.entries(reasons).every(([reason, count]) => often(reason) >= count) && told;
  });
  const read = async (kind: Kind) => (await client.list(kind, { namespace })).items;
  return sorted({
    cronJobs: (await read(CronJob)).map(essence),
    jobs: (await read(Job)).map(essence),
    pods: (await read(Pod)).map(podEssence),
    events: events.map(({ type, reason, note, regarding, reportingController }) =>
      [type, reason, note, regarding?.kind, regarding?.name, reportingController].join(' | '),
    ),
  });
}

type Readable = { readonly metadata: object; readonly status?: unknown };

function essence({ metadata, status }: Readable): object {
  const { name, labels, annotations, finalizers, ownerReferences } = metadata as Pod['metadata'];
  return { name, labels, annotations, finalizers, ownerReferences, status };
}

function podEssence(object: Readable): object {
  const { spec, status } = object as Pod;
  const { hostname, containers } = spec;
  return { ...essence({ metadata: object.metadata }), phase: status.phase, hostname, env: containers[0]?.env };
}

/** Lists in the order of their masked content. */
function sorted(lists: Readonly<Record<string, readonly unknown[]>>): unknown {
  const entries = Object.entries(lists).map(([name, list]) => {
    const items = list.map(masked).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return [name, items] as const;
  });
  return Object.fromEntries(entries.filter(([, items]) => items.length > 0));
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, member]) => member !== undefined && name !== 'resourceVersion');
  return Object.fromEntries(
    entries.map(([name, member]) => [name, masked(member)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const maskedText = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\b(work[a-z]*(?:-\d+)?)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-SUFFIX')
    .replaceAll(
      /\b(tick)-\d{8}(-[bcdfghjklmnpqrstvwxz2456789]{5})?\b/g,
      (_, name: string, suffix?: string) => `${name}-MINUTES${suffix ? '-SUFFIX' : ''}`,
    );

const recorded = (story: string) => new URL(`./recordings/${story}.json`, import.meta.url);

/** What real Kubernetes left to be read after each chapter. */
export function recording(story: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(recorded(story), 'utf8'));
}

/** Keeps what Kubernetes says today; for the day on which it is to be recorded anew. */
export function record(story: string, told: Readonly<Record<string, unknown>>): void {
  writeFileSync(recorded(story), `${JSON.stringify(told, null, 2)}\n`);
}
