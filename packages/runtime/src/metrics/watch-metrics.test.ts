import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InformerHealth } from '@keelson/client';
import { Pod, Secret } from '@keelson/core/v1';
import { Registry } from 'prom-client';
import { observeWatches } from './watch-metrics.ts';

const watched = (kind: typeof Pod | typeof Secret, size: number, health: Partial<InformerHealth>) => ({
  kind,
  store: { size },
  health: {
    phase: 'watching' as const,
    synced: true,
    lastError: undefined,
    forbidden: undefined,
    lastEventAt: undefined,
    counts: { lists: 1, watches: 2, silences: 3 },
    ...health,
  },
});

test('all watches of a resource are one series: sums, and the worst of them', async () => {
  const registry = new Registry();
  const watches = [
    watched(Pod, 2, { lastEventAt: 5000 }),
    watched(Pod, 3, { synced: false, lastError: new Error('refused'), lastEventAt: 4000 }),
    watched(Secret, 1, {}),
  ];
  observeWatches(registry, () => watches);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('keelson'));
  assert.deepEqual(await lines(), [
    'keelson_watch_synced{resource="pods"} 0',
    'keelson_watch_synced{resource="secrets"} 1',
    'keelson_watch_degraded{resource="pods"} 1',
    'keelson_watch_degraded{resource="secrets"} 0',
    'keelson_watch_lists_total{resource="pods"} 2',
    'keelson_watch_lists_total{resource="secrets"} 1',
    'keelson_watch_watches_total{resource="pods"} 4',
    'keelson_watch_watches_total{resource="secrets"} 2',
    'keelson_watch_silences_total{resource="pods"} 6',
    'keelson_watch_silences_total{resource="secrets"} 3',
    'keelson_watch_last_event_timestamp_seconds{resource="pods"} 4',
    'keelson_cache_objects{resource="pods"} 5',
    'keelson_cache_objects{resource="secrets"} 1',
  ]);
  watches.splice(0, 2);
  assert.ok(
    (await lines()).every((line) => line.includes('secrets')),
    'what is not watched any more is not told of',
  );
});
