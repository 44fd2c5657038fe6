/**
 * Others are heard while controllers work: whoever asks over HTTPS is answered between two pieces of work, from the start.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { nextTurn } from '@keelson/core/system';

const pods = 1000;
/** Of the processor, which a busy machine takes no longer for. Seconds, if controllers do not yield. */
const maxWaitMs = 100;

function field(kubeconfig: string, name: string): string {
  return Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString();
}

test('the server answers while a thousand pods are made', async (t) => {
  await using cluster = createCluster();
  await cluster.ready;
  await using door = await cluster.listen();
  using agent = Object.assign(
    new Agent({
      keepAlive: true,
      ca: field(door.kubeconfig, 'certificate-authority-data'),
      cert: field(door.kubeconfig, 'client-certificate-data'),
      key: field(door.kubeconfig, 'client-key-data'),
    }),
    { [Symbol.dispose]: () => agent.destroy() },
  );
  let longest = 0;
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const before = process.threadCpuUsage();
    const text = await sent(method, path, body);
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    return text;
  };
  const sent = (method: string, path: string, body?: object) =>
    new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const asked = request(`${door.url}${path}`, { agent, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject).on('end', () => resolve(text));
      });
      asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });

  const labels = { app: 'many' };
  const container = { name: 'main', image: 'example.com/main:1' };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  await send('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'many' },
    spec: { replicas: pods, selector: { matchLabels: labels }, template },
  });
  let answers = 0;
  for (let made = 0; made < pods; answers += 1) {
    assert.equal(await send('GET', '/readyz'), 'ok');
    if (answers % 20 > 0) continue;
    const deployment = JSON.parse(await send('GET', '/apis/apps/v1/namespaces/default/deployments/many'));
    made = deployment.status?.replicas ?? 0;
  }
  t.diagnostic(`${answers} answers, the longest after ${longest.toFixed(0)} ms of work`);
  assert.ok(longest < maxWaitMs, `an answer took ${longest.toFixed(0)} ms of work`);
});

test('the first request is answered before the controllers have done all that they begin with', async () => {
  await using cluster = createCluster();
  const first: string[] = [];
  const ready = cluster.ready.then(() => first.push('ready'));
  await using door = await cluster.listen();
  const answered = new Promise<void>((resolve, reject) => {
    const ca = field(door.kubeconfig, 'certificate-authority-data');
    const asked = request(`${door.url}/readyz`, { agent: false, ca }, (response) => {
      first.push(`answered ${response.statusCode}`);
      response.resume().on('end', () => resolve());
    });
    asked.on('error', reject).end();
  });
  await Promise.all([ready, answered]);
  assert.deepEqual(first, ['answered 200', 'ready']);
});

test('a cluster that is stopped while its controllers begin ends at once', { timeout: 25_000 }, async () => {
  for (const turns of [3, 20, 60]) {
    await using cluster = createCluster();
    await cluster.listen();
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  }
});
