import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@keelson/client';
import type { MetricSpec } from '@keelson/core/autoscaling/v2';
import { MetricFailure, proposalOf } from './metrics.ts';

const target = { type: 'Utilization', averageUtilization: 50 } as const;
const specs: readonly MetricSpec[] = [
  { type: 'Resource', resource: { name: 'cpu', target } },
  { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'web', target } },
];

const propose = (spec: MetricSpec, items: readonly object[]) =>
  proposalOf(spec, {
    client: { getRaw: async () => ({ items }) } as unknown as Client,
    namespace: 'default',
    selector: 'app=web',
    pods: [],
    currentReplicas: 1,
    tolerances: { up: 0.1, down: 0.1 },
    now: 0,
  });

for (const spec of specs) {
  test(`${spec.type}: without metrics it fails in words`, () => assert.rejects(propose(spec, []), MetricFailure));

  test(`${spec.type}: what nobody expects is not taken for a metric that fails`, () =>
    assert.rejects(propose(spec, [{ metadata: { name: 'a' } }]), TypeError));
}
