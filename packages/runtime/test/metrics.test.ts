/** Metrics as they are read: names, watches and caches, and who may read them. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { requestToken } from '@keelson/client';
import { type Operator, operator, rulesOf } from '@keelson/core';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { nextTurn } from '@keelson/core/system';
import { ConfigMap, ServiceAccount } from '@keelson/core/v1';
import { generateFiles } from '@keelson/generate';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Registry } from 'prom-client';
import { controller, createManager, done, type ManagerOptions, webhook } from '../src/index.ts';
import { observeCertificate } from '../src/metrics/certificate-metrics.ts';
import { webhookMetrics } from '../src/metrics/webhook-metrics.ts';
import { certificate, key } from './certificate.ts';
import { inTime, newWidget, rememberingLogger, Widget } from './widget.ts';

const controllers = [controller({ for: Widget, owns: [ConfigMap], reconcile: async () => done })];
const open = operator({ name: 'measured', controllers });
const measured = operator({ name: 'measured', secureMetrics: true, controllers });

async function startMeasured(
  cluster: TestCluster,
  metrics: Exclude<ManagerOptions['metrics'], undefined | false>,
  declared = metrics.tls === undefined ? open : measured,
) {
  const logger = rememberingLogger();
  const { clock } = cluster;
  const { transport } = cluster.cluster;
  const stop = new AbortController();
  const running = createManager(declared, { transport, clock, logger, health: false, metrics }).start(stop.signal);
  const started = () => logger.lines.find(({ message }) => message === 'starting server');
  while (started() === undefined) await nextTurn();
  await clock.settle();
  return {
    port: Number(String(started()?.fields.addr).split(':').at(-1)),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await clock.advance(1000);
      await running;
    },
  };
}

/** The metrics that the generated alerts and the dashboard of an operator name. */
const named = (declared: Operator): readonly string[] =>
  generateFiles(declared)
    .filter(({ path }) => /prometheus\/(prometheus_rule\.yaml|dashboard\.json)$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\b([a-z_]+?)(?:_bucket)?\{job=/g)].map(([, name = '']) => name));

test('alerts and dashboards name no metric that a running operator does not serve', inTime, async () => {
  const declared = operator({ name: 'measured', controllers, leaderElection: true });
  await using cluster = await startCluster({ kinds: [Widget] });
  await using engine = await startMeasured(cluster, { host: '127.0.0.1', port: 0 }, declared);
  const text = await (await fetch(`http://127.0.0.1:${engine.port}/metrics`)).text();
  const served = ['up', ...(text.match(/(?<=^# TYPE )\S+/gm) ?? [])];
  assert.ok(named(declared).length > 15);
  assert.deepEqual(
    named(declared).filter((name) => !served.includes(name)),
    [],
  );
  const withWebhooks = operator({ name: 'measured', webhooks: [webhook(Widget, { validate: () => [] })] });
  const registry = new Registry();
  webhookMetrics(registry, cluster.clock);
  observeCertificate(registry, cluster.clock, () => ({ expiresAt: undefined, problem: undefined, remarks: [] }));
  const ofWebhooks = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  assert.deepEqual(
    named(withWebhooks).filter((name) => !served.includes(name) && !ofWebhooks.includes(name)),
    [],
  );
  assert.ok(named(withWebhooks).includes('keelson_webhook_certificate_remaining_seconds'));
});

test('watches and caches are measured beside what controller-runtime measures', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  await using engine = await startMeasured(cluster, { host: '127.0.0.1', port: 0 });
  for (const name of ['a', 'b']) await cluster.client.create(Widget, newWidget(name));
  await cluster.clock.advance(1000);
  const text = await (await fetch(`http://127.0.0.1:${engine.port}/metrics`)).text();
  const resource = 'widgets.engine.example.com';
  for (const line of [
    `keelson_watch_synced{resource="${resource}"} 1`,
    `keelson_watch_degraded{resource="${resource}"} 0`,
    `keelson_watch_watches_total{resource="${resource}"} 1`,
    `keelson_watch_silences_total{resource="${resource}"} 0`,
    `keelson_cache_objects{resource="${resource}"} 2`,
    'keelson_watch_synced{resource="configmaps"} 1',
    'controller_runtime_reconcile_total{controller="widget",result="success"} 2',
    'controller_runtime_reconcile_timeouts_total{controller="widget"} 0',
    'controller_runtime_max_concurrent_reconciles{controller="widget"} 1',
    'workqueue_adds_total{name="widget",controller="widget"} 2',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  }
  assert.match(text, /^rest_client_request_duration_seconds_count\{verb="GET",host=""\} [1-9]/m);
  assert.doesNotMatch(text, /default\/a|name="a"|namespace=/, 'no label names an object');
});

test('with TLS, only those read them whom the API server lets get /metrics', inTime, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-metrics-'));
  const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(tls.certFile, certificate);
  await writeFile(tls.keyFile, key);
  try {
    await using cluster = await startCluster({ kinds: [Widget] });
    const { client } = cluster;
    const metadata = { name: 'metrics-reader' };
    await client.create(ClusterRole, { metadata, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] });
    await client.create(ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    });
    const tokenOf = async (name: string) => {
      await client.create(ServiceAccount, { metadata: { name, namespace: 'default' } });
      return (await requestToken(client, `default/${name}`)).token.reveal();
    };
    const reader = await tokenOf('reader');
    const stranger = await tokenOf('stranger');
    await using engine = await startMeasured(cluster, { host: '127.0.0.1', port: 0, tls });
    let answered = {};
    const ask = (authorization?: string) =>
      statusOf(engine.port, authorization, { ca: certificate }, (answer) => {
        answered = answer;
      });
    assert.equal(await ask(), 401);
    assert.equal(await ask('Bearer nonsense'), 401);
    assert.deepEqual(answered, { type: 'text/plain', text: 'unauthenticated\n' });
    assert.equal(await ask(`Basic ${reader}`), 401);
    assert.equal(await ask(`Bearer ${stranger}`), 403);
    assert.equal(await ask(`Bearer ${reader}`), 200);

    // A yes is remembered for a minute, and no longer.
    await client.delete(ClusterRoleBinding, 'metrics-reader');
    await cluster.clock.advance(59_000);
    assert.equal(await ask(`Bearer ${reader}`), 200);
    await cluster.clock.advance(2000);
    assert.equal(await ask(`Bearer ${reader}`), 403);
    await assert.rejects(fetch(`http://127.0.0.1:${engine.port}/metrics`), 'not in the open');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the rules on reviews follow from the declaration', () => {
  const rules = rulesOf(measured).filter(({ resources }) => String(resources).endsWith('reviews'));
  assert.deepEqual(rules, [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]);
});

test(
  'metrics that are declared secure have a certificate of their own, and are never in the open',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    await using engine = await startMeasured(cluster, { host: '127.0.0.1', port: 0 }, measured);
    const socket = connect({ host: '127.0.0.1', port: engine.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subject, subjectAltName } = new X509Certificate(socket.getPeerCertificate().raw);
    socket.destroy();
    assert.deepEqual([subject, subjectAltName], ['CN=measured', 'DNS:localhost, IP Address:127.0.0.1']);
    assert.equal(await statusOf(engine.port, undefined, { rejectUnauthorized: false }), 401);
    await assert.rejects(statusOf(engine.port, undefined), 'nobody vouches for it');
    await assert.rejects(fetch(`http://127.0.0.1:${engine.port}/metrics`), 'not in the open');
  },
);

test('a certificate that cannot be read is one sentence', inTime, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-metrics-'));
  t.after(() => rm(folder, { recursive: true }));
  await using cluster = await startCluster({ kinds: [Widget] });
  const { clock } = cluster;
  const { transport } = cluster.cluster;
  const tls = { certFile: join(folder, 'absent', 'tls.crt'), keyFile: join(folder, 'absent', 'tls.key') };
  const manager = createManager(measured, {
    transport,
    clock,
    logger: rememberingLogger(),
    health: false,
    metrics: { port: 0, tls },
  });
  await assert.rejects(manager.start(new AbortController().signal), {
    name: 'ListenError',
    message: /^The metrics server has no certificate: .*\/absent\/tls\.crt/,
  });
});

function statusOf(
  port: number,
  authorization: string | undefined,
  tls: object = { ca: certificate },
  onAnswer: (answer: { readonly type: string | undefined; readonly text: string }) => void = () => {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    request({ host: '127.0.0.1', port, path: '/metrics', ...tls, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        onAnswer({ type: answer.headers['content-type'], text });
        resolve(answer.statusCode);
      });
    })
      .on('error', reject)
      .end();
  });
}
