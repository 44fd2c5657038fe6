/** What is reached beside objects themselves: scale, eviction, tokens, metadata, discovery, and logs. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isApiError, isTooManyRequests, isUnauthorized, metadataOf, type Transport } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Deployment } from '@keelson/core/apps/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { ConfigMap, Pod, ServiceAccount } from '@keelson/core/v1';
import {
  type Client,
  type ClusterConfig,
  connect,
  createClient,
  createDiscovery,
  createSharedInformers,
  evict,
  getScale,
  type PodLogOptions,
  podLog,
  requestToken,
  Secret,
  setScale,
} from '../../src/index.ts';
import { until } from '../until.ts';
import { needing, type Offer, type Server } from './server.ts';

export function describeBesideObjects(offer: Offer): void {
  describe(`beside objects, on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;
    let client: Client;

    before(async () => {
      server = await offer.start();
      transport = connect(server.config);
      client = createClient({ transport, fieldManager: 'test' });
      await until(async () => (await client.find(ServiceAccount, 'default/default')) !== undefined);
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    const container = { name: 'main', image: 'pause' };

    test('the scale of a deployment is read and set, whatever its kind', async () => {
      const labels = { app: 'scaled' };
      await client.create(Deployment, {
        metadata: { name: 'scaled', namespace: 'default' },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      });
      const scale = await setScale(client, Deployment, 'default/scaled', 2);
      assert.deepEqual([scale.kind, scale.spec?.replicas], ['Scale', 2]);
      assert.equal((await client.get(Deployment, 'default/scaled')).spec.replicas, 2);
      assert.equal((await getScale(client, Deployment, 'default/scaled')).spec?.replicas, 2);
      await client.delete(Deployment, 'default/scaled');
    });

    test('an eviction that a budget forbids is refused, and not repeated', async () => {
      const labels = { app: 'guarded' };
      await client.create(PodDisruptionBudget, {
        metadata: { name: 'guarded', namespace: 'default' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      await client.create(Pod, {
        metadata: { name: 'guarded', namespace: 'default', labels },
        spec: { nodeName: 'nowhere', containers: [container] },
      });
      // The budget counts only pods that run. No kubelet has a say about this one, so we may tell that it does.
      await client.patch(
        Pod,
        'default/guarded',
        { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        { subresource: 'status' },
      );
      await until(async () => (await client.get(PodDisruptionBudget, 'default/guarded')).status?.currentHealthy === 1);
      await assert.rejects(evict(client, 'default/guarded'), isTooManyRequests);
      await client.delete(PodDisruptionBudget, 'default/guarded');
      const { uid } = (await client.get(Pod, 'default/guarded')).metadata;
      await evict(client, 'default/guarded', { preconditions: { uid }, gracePeriodSeconds: 0 });
      await until(async () => (await client.find(Pod, 'default/guarded')) === undefined);
    });

    test('a token for a service account works, and another does not', async () => {
      const { token, expiresAt } = await requestToken(client, 'default/default', { expirationSeconds: 600 });
      assert.ok(expiresAt > 0);
      const attempt = async (credentials: ClusterConfig['credentials']) => {
        const { config } = server;
        await using other = connect({ ...config, tls: { ...config.tls, clientCertificate: undefined }, credentials });
        return await createClient({ transport: other }).list(ConfigMap, { namespace: 'default' });
      };
      await assert.rejects(
        attempt({ type: 'token', token }),
        /User "system:serviceaccount:default:default" cannot list/,
      );
      await assert.rejects(attempt({ type: 'token', token: new Secret(`${token.reveal()}x`) }), isUnauthorized);
    });

    test('kinds are discovered, also new ones', async () => {
      const discovery = createDiscovery(client);
      const deployments = await discovery.find({ group: 'apps', kind: 'Deployment' });
      assert.deepEqual(
        [deployments?.version, deployments?.resource, deployments?.scope],
        ['v1', 'deployments', 'Namespaced'],
      );
      assert.deepEqual(deployments?.subresources.toSorted(), ['scale', 'status']);
      assert.equal((await discovery.find({ group: '', resource: 'namespaces' }))?.kind, 'Namespace');
      assert.equal(await discovery.find({ group: 'example.com', kind: 'Gadget' }), undefined);
      const schema = { openAPIV3Schema: { type: 'object' } };
      await client.create(CustomResourceDefinition, {
        metadata: { name: 'gadgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      await until(async () => (await discovery.find({ group: 'example.com', kind: 'Gadget' }))?.scope === 'Cluster');
      // The older form of the same truth.
      const legacy = createDiscovery({
        ...client,
        getRaw: (path, options) => client.getRaw(path, { ...options, accept: 'application/json' }),
      } as Client);
      const names = async (from: typeof discovery) =>
        (await from.all())
          .map(({ group, version, kind, resource, scope }) => `${group}/${version}/${resource} ${kind} ${scope}`)
          .sort();
      assert.deepEqual(await names(legacy), await names(discovery));
    });

    test('metadata alone is listed and watched', async () => {
      await using informers = createSharedInformers({ client, onError: (error) => assert.fail(error) });
      const informer = informers.informer(metadataOf(ConfigMap), { namespace: 'default' });
      await informer.synced;
      await client.create(ConfigMap, {
        metadata: { name: 'partial', namespace: 'default', labels: { a: 'b' } },
        data: { large: 'x' },
      });
      await until(() => informer.store.get('default/partial') !== undefined);
      const { metadata, ...rest } = informer.store.get('default/partial') ?? assert.fail();
      assert.deepEqual(rest, { apiVersion: 'v1', kind: 'ConfigMap' });
      assert.deepEqual(metadata.labels, { a: 'b' });
    });

    const badRequest = (message: string) => (error: unknown) => {
      assert.ok(isApiError(error), String(error));
      assert.deepEqual([error.status.code, error.status.reason, error.status.message], [400, 'BadRequest', message]);
      return true;
    };
    /** A pod with one container of busybox, which runs or seems to run. */
    const startPod = async (name: string, ...command: string[]) => {
      const containers = [{ name: 'main', image: 'busybox:stable', imagePullPolicy: 'IfNotPresent', command } as const];
      const spec = { containers, terminationGracePeriodSeconds: 1 };
      await client.create(Pod, { metadata: { name, namespace: 'default' }, spec });
      const key = `default/${name}`;
      await until(async () => (await client.get(Pod, key)).status?.phase === 'Running', { timeoutMs: 300_000 });
      return key;
    };
    const textOf = async (log: AsyncIterable<Uint8Array>) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of log) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };

    test('the log of a container that does not exist is refused', async () => {
      const containers = [container, { ...container, name: 'other' }];
      const metadata = { name: 'two', namespace: 'default' };
      await client.create(Pod, { metadata, spec: { schedulerName: 'nobody', containers } });
      const log = (options: PodLogOptions) => textOf(podLog(client, 'default/two', options));
      await assert.rejects(
        log({}),
        badRequest('a container name must be specified for pod two, choose one of: [main other]'),
      );
      await assert.rejects(log({ container: 'third' }), badRequest('container third is not valid for pod two'));
      assert.equal(await log({ container: 'main' }), '', 'no node has it');
      await client.delete(Pod, 'default/two');
    });

    test(
      'the log of a container that writes nothing is empty, and following it ends with it',
      needing(offer, 'pods'),
      async () => {
        const key = await startPod('silent', 'sleep', '3600');
        assert.equal(await textOf(podLog(client, key)), '');
        await assert.rejects(
          textOf(podLog(client, key, { previous: true })),
          badRequest('previous terminated container "main" in pod "silent" not found'),
        );
        let isOver = false;
        const following = textOf(podLog(client, key, { follow: true })).finally(() => {
          isOver = true;
        });
        await client.get(Pod, key);
        assert.equal(isOver, false);
        await client.delete(Pod, key);
        assert.equal(await following, '');
      },
    );

    test('logs come as the container writes them', needing(offer, 'output'), async () => {
      const key = await startPod('talker', 'sh', '-c', 'echo one; echo two; exec sleep 3600');
      const controller = new AbortController();
      let text = '';
      const following = (async () => {
        for await (const chunk of podLog(client, key, { follow: true, signal: controller.signal })) {
          text += Buffer.from(chunk).toString();
        }
      })();
      await until(() => text === 'one\ntwo\n', { timeoutMs: 300_000 });
      controller.abort(new Error('enough'));
      await assert.rejects(following, /enough/);
      assert.equal(await textOf(podLog(client, key, { tailLines: 1 })), 'two\n');
    });
  });
}
