/** The client's own verbs, on any server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  causesOf,
  isAlreadyExists,
  isApiError,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  type Kind,
  type Transport,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from '@keelson/core/v1';
import { type Client, connect, createClient, createEventRecorder } from '../../src/index.ts';
import { until } from '../until.ts';
import { needing, type Offer, type Server } from './server.ts';

export function describeClient(offer: Offer): void {
  describe(`the client on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;
    let client: Client;
    const namespace = 'client-test';

    before(async () => {
      server = await offer.start();
      transport = connect(server.config, { userAgent: 'keelson-test' });
      client = createClient({ transport, fieldManager: 'client-test' });
      await client.create(Namespace, { metadata: { name: namespace } });
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace }, data });

    const deployment = (name: string, replicas: number, image = 'pause') => ({
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
      },
    });

    test('creates, reads, replaces, patches and deletes', async () => {
      const created = await client.create(ConfigMap, configMap('crud', { a: '1' }));
      assert.equal(created.kind, 'ConfigMap');
      await assert.rejects(client.create(ConfigMap, configMap('crud')), isAlreadyExists);
      assert.deepEqual(await client.get(ConfigMap, `${namespace}/crud`), created);

      const updated = await client.update(ConfigMap, { ...created, data: { a: '2' } });
      await assert.rejects(client.update(ConfigMap, { ...created, data: { a: '3' } }), isConflict);
      assert.deepEqual(updated.data, { a: '2' });

      const merged = await client.patch(ConfigMap, `${namespace}/crud`, { data: { a: null, b: '1' } });
      assert.deepEqual(merged.data, { b: '1' });
      const patched = await client.patch(ConfigMap, `${namespace}/crud`, [
        { op: 'test', path: '/data/b', value: '1' },
        { op: 'add', path: '/data/c', value: '2' },
      ]);
      assert.deepEqual(patched.data, { b: '1', c: '2' });
      await assert.rejects(
        client.patch(ConfigMap, `${namespace}/crud`, [{ op: 'test', path: '/data/b', value: '9' }]),
        isInvalid,
      );

      await assert.rejects(
        client.delete(ConfigMap, `${namespace}/crud`, { preconditions: { uid: 'another' } }),
        isConflict,
      );
      assert.deepEqual(await client.delete(ConfigMap, `${namespace}/crud`), {
        type: 'deleted',
        uid: created.metadata.uid,
      });
      assert.equal(await client.find(ConfigMap, `${namespace}/crud`), undefined);
      await assert.rejects(client.delete(ConfigMap, `${namespace}/crud`), isNotFound);
    });

    test('merges lists of built-in kinds strategically', async () => {
      await client.create(Deployment, deployment('strategic', 0));
      const patched = await client.patch(
        Deployment,
        `${namespace}/strategic`,
        { spec: { template: { spec: { containers: [{ name: 'main', image: 'other' }] } } } },
        { type: 'strategic' },
      );
      assert.equal(patched.spec.template.spec?.containers[0]?.image, 'other');
      assert.equal(patched.spec.template.spec?.containers[0]?.name, 'main');
    });

    test('says what a delete leaves behind', async () => {
      await client.create(ConfigMap, { metadata: { name: 'held', namespace, finalizers: ['example.com/hold'] } });
      const result = await client.delete(ConfigMap, `${namespace}/held`);
      assert.equal(result.type, 'terminating');
      await client.patch(ConfigMap, `${namespace}/held`, { metadata: { finalizers: null } });
      await until(async () => (await client.find(ConfigMap, `${namespace}/held`)) === undefined);

      // A Pod that no node has is gone at once, although the answer shows it with a deletionTimestamp.
      const containers = [{ name: 'main', image: 'pause' }];
      await until(async () => (await client.find(ServiceAccount, `${namespace}/default`)) !== undefined);
      const pod = await client.create(Pod, {
        metadata: { name: 'nowhere', namespace },
        spec: { schedulerName: 'nobody', containers },
      });
      assert.deepEqual(await client.delete(Pod, `${namespace}/nowhere`), { type: 'deleted', uid: pod.metadata.uid });
      assert.equal(await client.find(Pod, `${namespace}/nowhere`), undefined);
    });

    test('applies: fields have owners, and conflicts name them', async () => {
      const first = await client.apply(ConfigMap, configMap('applied', { a: '1' }));
      const same = await client.apply(ConfigMap, configMap('applied', { a: '1' }));
      assert.equal(
        same.metadata.resourceVersion,
        first.metadata.resourceVersion,
        'nothing changed, so nothing was written',
      );

      await client.apply(Deployment, deployment('applied', 1));

      const other = { fieldManager: 'other' };
      await assert.rejects(client.apply(Deployment, deployment('applied', 2), other), (error) => {
        assert.ok(isConflict(error));
        assert.match(error.message, /^apply deployments\.apps client-test\/applied: Apply failed with 1 conflict/);
        assert.deepEqual(
          causesOf(error).map(({ field }) => field),
          ['.spec.replicas'],
        );
        return true;
      });
      assert.equal(
        (await client.apply(Deployment, deployment('applied', 2), { ...other, force: true })).spec.replicas,
        2,
      );

      const status = { ...deployment('applied', 1), spec: undefined, status: { observedGeneration: 7 } };
      const reported = await client.applySubresource(Deployment, 'status', status, { force: true });
      assert.equal(reported.status?.observedGeneration, 7);
      assert.equal(reported.spec.replicas, 2, 'the status subresource leaves the spec alone');
    });

    test('reads and writes other subresources', async () => {
      await client.create(Deployment, deployment('scaled', 1));
      const scale = await client.get(Deployment, `${namespace}/scaled`, { subresource: 'scale' });
      assert.equal(scale.kind as string, 'Scale');
      await client.patch(Deployment, `${namespace}/scaled`, { spec: { replicas: 3 } }, { subresource: 'scale' });
      assert.equal((await client.get(Deployment, `${namespace}/scaled`)).spec.replicas, 3);
    });

    test('tries things out without doing them, and passes warnings on', async () => {
      const warnings: string[] = [];
      const onWarning = (warning: string) => warnings.push(warning);
      const odd = { ...configMap('odd'), oddity: true };
      await client.create(ConfigMap, odd, { dryRun: true, onWarning });
      assert.deepEqual(warnings, ['unknown field "oddity"']);
      assert.equal(await client.find(ConfigMap, `${namespace}/odd`), undefined);
      await assert.rejects(
        client.create(ConfigMap, odd, { fieldValidation: 'Strict' }),
        /strict decoding error: unknown field "oddity"/,
      );
    });

    test('keeps fields that it does not know through a read and a replace', async () => {
      const widgets: Kind = {
        group: 'example.com',
        version: 'v1',
        kind: 'Widget',
        resource: 'widgets',
        scope: 'Namespaced',
      };
      await client.apply(CustomResourceDefinition, {
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      });
      const widget = {
        metadata: { name: 'w', namespace },
        spec: { deep: [{ unknown: { field: 1.5 } }], größe: 'ü🚢' },
      };
      await until(async () => {
        try {
          await client.create(widgets, widget);
          return true;
        } catch (error) {
          if (isNotFound(error)) return false; // not served yet
          throw error;
        }
      });
      const read = await client.get(widgets, `${namespace}/w`);
      const replaced = await client.update(widgets, {
        ...read,
        metadata: { ...read.metadata, labels: { seen: 'yes' } },
      });
      assert.deepEqual((replaced as unknown as typeof widget).spec, widget.spec);
      const { items } = await client.list(widgets, { labels: { seen: 'yes' } });
      assert.deepEqual(
        items.map(({ apiVersion, kind }) => [apiVersion, kind]),
        [['example.com/v1', 'Widget']],
      );
    });

    test('says that a kind is not served, rather than that an object is absent', async () => {
      const none: Kind = { group: 'example.com', version: 'v9', kind: 'None', resource: 'nones', scope: 'Namespaced' };
      await assert.rejects(client.find(none, `${namespace}/x`), (error) => {
        assert.ok(isNotFound(error));
        assert.match(error.message, /is its CustomResourceDefinition installed\?/);
        return true;
      });
    });

    const { pageSize } = offer;
    const full = pageSize ?? 500;
    const some = full * 0.4;

    test(`lists ${2 * full + some} objects in pages, by label and by field`, async () => {
      const names = Array.from({ length: 2 * full + some }, (_, i) => `page-${String(i).padStart(4, '0')}`);
      for (let at = 0; at < names.length; at += 50) {
        await Promise.all(
          names.slice(at, at + 50).map((name, i) =>
            client.create(ConfigMap, {
              metadata: { name, namespace, labels: { pages: 'yes', parity: i % 2 ? 'odd' : 'even' } },
            }),
          ),
        );
      }
      const all = await client.list(ConfigMap, { namespace, labels: { pages: 'yes' }, pageSize });
      assert.deepEqual(
        all.items.map(({ metadata }) => metadata.name),
        names,
      );
      assert.ok(all.items.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap'));
      assert.match(all.resourceVersion, /^\d+$/);

      const sizes = [];
      for await (const page of client.pages(ConfigMap, { namespace, labels: 'pages=yes', pageSize }))
        sizes.push(page.items.length);
      assert.deepEqual(sizes, [full, full, some]);

      const odd = await client.list(ConfigMap, { labels: 'pages in (yes),parity!=even,!absent' });
      assert.equal(odd.items.length, names.length / 2);
      const one = await client.list(ConfigMap, { namespace, fields: 'metadata.name=page-0007' });
      assert.deepEqual(
        one.items.map(({ metadata }) => metadata.name),
        ['page-0007'],
      );

      await client.deleteCollection(ConfigMap, { namespace, labels: { pages: 'yes' } });
      assert.equal((await client.list(ConfigMap, { namespace, labels: { pages: 'yes' } })).items.length, 0);
    });

    test('watches from a resourceVersion, by label, until it is told to stop', async () => {
      const controller = new AbortController();
      const seen: string[] = [];
      const { resourceVersion } = await client.list(ConfigMap, { namespace });
      const watching = (async () => {
        for await (const event of client.watch(ConfigMap, {
          namespace,
          resourceVersion,
          labels: { watched: 'yes' },
          signal: controller.signal,
        })) {
          if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
        }
      })();
      const labels = { watched: 'yes' };
      await client.create(ConfigMap, { metadata: { name: 'watched', namespace, labels } });
      await client.patch(ConfigMap, `${namespace}/watched`, { data: { text: 'ü🚢'.repeat(50_000) } });
      await client.patch(ConfigMap, `${namespace}/watched`, { metadata: { labels: null } });
      await client.patch(ConfigMap, `${namespace}/watched`, { metadata: { labels } });
      await client.delete(ConfigMap, `${namespace}/watched`);
      await until(() => seen.length === 5);
      assert.deepEqual(seen, [
        'ADDED watched',
        'MODIFIED watched',
        'DELETED watched',
        'ADDED watched',
        'DELETED watched',
      ]);
      const reason = new Error('enough');
      controller.abort(reason);
      await assert.rejects(watching, reason);
    });

    test('ends a watch when the server was asked to', async () => {
      const { resourceVersion } = await client.list(Secret, { namespace });
      const events = [];
      for await (const event of client.watch(Secret, { namespace, resourceVersion, serverTimeoutSeconds: 1 }))
        events.push(event);
      assert.ok(events.every(({ type }) => type === 'BOOKMARK'));
    });

    test('names what it may not do', async () => {
      await using restricted = connect(await server.configFor('nobody'));
      await assert.rejects(createClient({ transport: restricted }).list(Pod, { namespace }), (error) => {
        assert.ok(isForbidden(error));
        assert.match(
          error.message,
          /^list pods in client-test: pods is forbidden: User "nobody" cannot list resource "pods"/,
        );
        return true;
      });
    });

    test('acts as a service account, and as someone else when it may', async () => {
      await client.create(ServiceAccount, { metadata: { name: 'robot', namespace } });
      const impersonate = {
        user: `system:serviceaccount:${namespace}:robot`,
        groups: ['system:authenticated'],
        extra: {},
      };
      await using disguised = connect({ ...server.config, impersonate });
      await assert.rejects(
        createClient({ transport: disguised }).list(Secret, { namespace }),
        /User "system:serviceaccount:client-test:robot"/,
      );
    });

    test('refuses an object that is too large with an error, not a hang', async () => {
      const large = configMap('large', { a: 'x'.repeat(3 * 1024 * 1024) });
      await assert.rejects(client.create(ConfigMap, large), (error) => {
        assert.ok(isApiError(error), String(error));
        assert.deepEqual([error.status.code, error.status.reason], [413, 'RequestEntityTooLarge']);
        return true;
      });
    });

    test('records events, and counts repetitions', async () => {
      const object = await client.create(ConfigMap, configMap('eventful'));
      const errors: Error[] = [];
      {
        await using recorder = createEventRecorder({
          client,
          controller: 'client-test',
          instance: 'client-test-0',
          onError: (error) => errors.push(error),
        });
        recorder.event(object, {
          type: 'Warning',
          reason: 'TooSmall',
          action: 'Resize',
          message: 'it is too small: größe 1',
        });
        await recorder.flush();
        for (let i = 0; i < 3; i++) {
          recorder.event(object, {
            type: 'Warning',
            reason: 'TooSmall',
            action: 'Resize',
            message: 'it is too small: größe 1',
          });
        }
        recorder.event(await client.get(Namespace, namespace), {
          type: 'Normal',
          reason: 'Seen',
          message: 'x'.repeat(5000),
        });
      }
      assert.deepEqual(errors, []);
      const { items } = await client.list(Event, { namespace });
      const [repeated, ...others] = items.filter(({ regarding }) => regarding?.name === 'eventful');
      assert.deepEqual(others, []);
      assert.equal(repeated?.series?.count, 4);
      assert.equal(repeated?.note, 'it is too small: größe 1');
      assert.equal(repeated?.regarding?.uid, object.metadata.uid);
      const ofNamespace = (await client.list(Event, { namespace: 'default' })).items.filter(
        ({ regarding }) => regarding?.name === namespace,
      );
      assert.deepEqual(
        ofNamespace.map(({ metadata, note = '' }) => [/\.[0-9a-f]{16}$/.test(metadata.name), Buffer.byteLength(note)]),
        [[true, 1024]],
      );
    });

    test('records events that kubectl describe shows', needing(offer, 'kubectl'), async () => {
      const shown = await server.kubectl('describe', 'configmap', '-n', namespace, 'eventful');
      assert.match(shown, /Type\s+Reason\s+Age\s+From\s+Message/);
      assert.match(shown, /Warning\s+TooSmall\s+.*\(x4 over .*\)\s+client-test.*\s+it is too small: größe 1/);
      await server.kubectl('describe', 'namespace', namespace);
      const events = await server.kubectl('get', 'events', '-n', 'default', '-o', 'name');
      assert.match(events, new RegExp(`event/${namespace}\\.[0-9a-f]{16}`));
    });
  });
}
