/** What the chapters of the story told to both clusters have in common: a template, and what can be read afterwards. */
import type { Client } from '@keelson/client';
import type { Kind } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import type { Pod } from '@keelson/core/v1';
import type { SimulatedMetrics } from '../../src/index.ts';
import { masked, type Words, wordsOf } from './masked.ts';

export const labels = { app: 'web' };
export const template = (image: string) => ({
  metadata: { labels, annotations: { note: 'template' } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'web', image }] },
});

/** One chapter: does something in a namespace of its own and returns what can be read then, masked. */
export type Chapter = (client: Client, namespace: string, metrics: SimulatedMetrics) => Promise<unknown>;

export async function readAll(client: Client, namespace: string, kinds: readonly Kind[]): Promise<unknown> {
  const words = wordsOf((await client.list(ReplicaSet, { namespace })).items);
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, { namespace })));
  return lists.map(({ items }) => sorted(items, words));
}

function sorted(items: readonly unknown[], words: Words): unknown[] {
  return items.map((item) => masked(item, words)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

export async function readEvents(
  client: Client,
  namespace: string,
  controllers: readonly string[],
  counts: (reason: string) => boolean = () => true,
): Promise<unknown> {
  const words = wordsOf((await client.list(ReplicaSet, { namespace })).items);
  const { items } = await client.list(Event, { namespace });
  const told = items
    .filter(({ reportingController = '', reason = '' }) => controllers.includes(reportingController) && counts(reason))
    .map(({ type, reason, note, regarding, reportingController }) => {
      const { apiVersion, kind, name } = regarding ?? {};
      return { type, reason, note, regarding: { apiVersion, kind, name }, reportingController };
    });
  return sorted(told, words);
}

export const isReady = ({ status }: Pod) =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
