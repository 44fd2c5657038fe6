/** The operator that is measured, as an author writes it. What it promises, the Go operator promises too (go/main.go). */
import { env } from 'node:process';
import { byLabel, operator, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { Cache } from './api.ts';
import { desiredDeployment, instanceLabel, labelsOf, serverLabels } from './desired.ts';

const cacheController = controller({
  for: Cache,
  owns: [Deployment],
  watches: [watch(Pod, { labels: serverLabels, to: byLabel(instanceLabel) })],
  concurrency: Number(env.WORKERS ?? 1),
  rateLimit: { passes: 1, perMs: 500 }, // the steps of a rollout come in bursts; not each is worth a pass
  async reconcile(memcached, { cache, owned, status }) {
    const deployment = await owned.apply(Deployment, desiredDeployment(memcached));
    const { namespace } = memcached.metadata;
    const pods = cache.list(Pod, { namespace, labels: labelsOf(memcached) });
    const isAvailable = deployment.status?.readyReplicas === memcached.spec.size;
    status.report({
      nodes: pods
        .filter(({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name)
        .sort(),
      conditions: [
        isAvailable
          ? { type: 'Available', status: 'True', reason: 'AllServersReady', message: 'All servers are ready.' }
          : { type: 'Available', status: 'False', reason: 'ServersNotReady', message: 'Not all servers are ready.' },
      ],
    });
    return done;
  },
});

await run(operator({ name: 'bench-operator', controllers: [cacheController] }));
