/**
 * Metrics of watches and caches, read when they are asked for: one series for each watched resource, whatever
 * namespaces and selections it is watched by.
 */
import type { Informer } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import type { Registry } from 'prom-client';
import { promClient } from '../late-modules.ts';

/** What is measured of a watch. */
type Watched = Pick<Informer, 'kind' | 'health'> & { readonly store: { readonly size: number } };

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** By the name of the metric: its help, and its value for all watches of a resource together. */
const measures: Readonly<Record<string, readonly [string, (watches: readonly Watched[]) => number | undefined]>> = {
  keelson_watch_synced: [
    '1 when the first list is complete, else 0',
    (watches) => Number(watches.every(({ health }) => health.synced)),
  ],
  keelson_watch_degraded: [
    '1 while the last attempt to list or watch failed, else 0',
    (watches) => Number(watches.some(({ health }) => health.lastError !== undefined)),
  ],
  keelson_watch_lists_total: ['Lists', (watches) => sum(watches.map(({ health }) => health.counts.lists))],
  keelson_watch_watches_total: [
    'Watches that were opened',
    (watches) => sum(watches.map(({ health }) => health.counts.watches)),
  ],
  keelson_watch_silences_total: [
    'Watches that were replaced because nothing came',
    (watches) => sum(watches.map(({ health }) => health.counts.silences)),
  ],
  keelson_watch_last_event_timestamp_seconds: [
    'When the server last sent anything, bookmarks included',
    (watches) => {
      const times = watches.flatMap(({ health }) => health.lastEventAt ?? []);
      return times.length === 0 ? undefined : Math.min(...times) / 1000;
    },
  ],
  keelson_cache_objects: ['Objects in the cache', (watches) => sum(watches.map(({ store }) => store.size))],
};

/** Adds the metrics of these watches to a registry. */
export function observeWatches(registry: Registry, informers: () => readonly Watched[]): void {
  const { Gauge } = promClient();
  for (const [name, [help, measure]] of Object.entries(measures)) {
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers: [registry],
      collect() {
        this.reset();
        const all = informers();
        for (const resource of new Set(all.map(({ kind }) => resourceNameOf(kind)))) {
          const watches = all.filter(({ kind }) => resourceNameOf(kind) === resource);
          const value = measure(watches);
          if (value !== undefined) this.set({ resource }, value);
        }
      },
    });
  }
}
