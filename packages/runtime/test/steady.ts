/** A steady state is silent: an operator that has converged looks again and again, and writes nothing. */
import assert from 'node:assert/strict';
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Ingress } from '@keelson/core/networking/v1';
import { ConfigMap, Service } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { controller, done } from '../src/index.ts';
import { newWidget, Widget } from './widget.ts';

/** Resyncs every minute over values that the server writes in its own way, and then a restart. */
export async function staySteady(minutes: number): Promise<void> {
  let passes = 0;
  const writes: string[] = [];
  const labels = { app: 'a' };
  const steady = controller({
    for: Widget,
    resyncMs: 60_000,
    owns: [ConfigMap, Deployment, Service, Ingress],
    async reconcile(_, { owned, status }) {
      passes += 1;
      const metadata = { name: 'a', labels: {}, annotations: { on: 'yes' } };
      await owned.apply(ConfigMap, { metadata, data: {} });
      await owned.apply(Service, { metadata, spec: { selector: labels, ports: [{ port: 80 }], externalIPs: [] } });
      await owned.apply(Ingress, {
        metadata,
        spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } }, tls: [] },
      });
      const resources = { requests: { cpu: '0.1', memory: '1024Mi' }, limits: { cpu: '1000m', memory: '1.5Gi' } };
      const env = [{ name: 'EMPTY', value: '' }];
      const { status: now } = await owned.apply(Deployment, {
        metadata,
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels, annotations: {} },
            spec: {
              nodeSelector: {},
              tolerations: [],
              containers: [{ name: 'web', image: 'web:1', resources, env, ports: [{ containerPort: 80 }] }],
            },
          },
        },
      });
      await status.apply({ seen: `${now?.readyReplicas ?? 0}`, conditions: [] });
      return done;
    },
  });
  await using cluster = await startCluster({
    operators: [operator({ name: 'steady', controllers: [steady] })],
    intercept: (transport) => ({
      request(request) {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await cluster.client.create(Widget, newWidget('a'));
  await cluster.eventually(Widget, 'default/a', ({ status }) => status?.seen === '1');
  await cluster.clock.advance(60_000);
  writes.length = 0;
  passes = 0;
  await cluster.clock.advance(minutes * 60_000);
  assert.ok(
    passes > minutes / 1.1 - 1 && passes < minutes / 0.9 + 1,
    `${passes} passes, a minute and a tenth at most apart`,
  );
  assert.deepEqual(writes, []);

  const [replica] = cluster.replicas;
  await replica?.stop();
  await replica?.start();
  await cluster.clock.advance((minutes * 60_000) / 10);
  // What the server rewrites is sent once after a restart, and changes nothing there.
  assert.ok(writes.length <= 5, writes.join('\n'));
}
