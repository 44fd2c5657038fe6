/** Strategic merge patch: lists that merge by key, and the directives. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments } from '../paths.ts';
import { badRequest, modified } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/** The path of a new Deployment with containers main and side. */
async function target(t: Trial): Promise<string> {
  const path = deployments(await t.namespace());
  const body = deployment('a');
  const containers = [
    { name: 'main', image: 'example.com/main:1', args: ['one', 'two'], env: [{ name: 'A', value: '1' }] },
    { name: 'side', image: 'example.com/side:1', ports: [{ containerPort: 80 }] },
  ];
  const template = { ...body.spec.template, spec: { containers } };
  (await t.post(path, { ...body, spec: { ...body.spec, template } })).is(201);
  return `${path}/a`;
}

const podSpec = (spec: Readonly<Record<string, unknown>>) => ({ spec: { template: { spec } } });

export const strategicPatch: Area = {
  name: 'strategic patch',
  proves: ['PT1'],
  cases: {
    // Ansible patches a scale with the object that it scales.
    'what a patch says that it is does not matter': async (t) => {
      const path = await target(t);
      for (const said of [
        { kind: 'Foo' },
        { apiVersion: 'foo/v1' },
        { kind: 'List', apiVersion: 'v1' },
        { kind: null },
      ]) {
        (await t.strategicPatch(path, { ...said, spec: { replicas: 2 } })).is(200, {
          kind: 'Deployment',
          apiVersion: 'apps/v1',
          spec: { replicas: 2 },
        });
        const scaled = await t.strategicPatch(`${path}/scale`, { ...said, spec: { replicas: 3 } });
        scaled.is(200, { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 3 } });
        (await t.strategicPatch(`${path}/status`, { ...said, status: { replicas: 1 } })).is(200, {
          kind: 'Deployment',
        });
      }
    },

    'containers merge by name': async (t) => {
      const patch = podSpec({ containers: [{ name: 'side', image: 'example.com/side:2' }] });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({
          containers: [
            { name: 'main', image: 'example.com/main:1' },
            { name: 'side', image: 'example.com/side:2', ports: [{ containerPort: 80 }] },
          ],
        }),
      );
    },

    // The new element of a merged list goes to the front, as client-go's callers have learned.
    'a new container is added': async (t) => {
      const patch = podSpec({ containers: [{ name: 'new', image: 'example.com/new:1' }] });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({ containers: [{ name: 'new' }, { name: 'main' }, { name: 'side' }] }),
      );
    },

    'lists without a key are replaced': async (t) => {
      const patch = podSpec({ containers: [{ name: 'main', args: ['three'] }] });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({ containers: [{ name: 'main', args: ['three'] }, { name: 'side' }] }),
      );
    },

    'lists merge by key at every depth': async (t) => {
      const patch = podSpec({ containers: [{ name: 'main', env: [{ name: 'A', value: '2' }] }] });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({ containers: [{ name: 'main', env: [{ name: 'A', value: '2' }] }, { name: 'side' }] }),
      );
    },

    '$patch: delete removes an element': async (t) => {
      const patch = podSpec({ containers: [{ name: 'main', $patch: 'delete' }] });
      (await t.strategicPatch(await target(t), patch)).is(200, podSpec({ containers: [{ name: 'side' }] }));
    },

    '$patch: replace replaces a list': async (t) => {
      const patch = podSpec({ containers: [{ $patch: 'replace' }, { name: 'new', image: 'example.com/new:1' }] });
      (await t.strategicPatch(await target(t), patch)).is(200, podSpec({ containers: [{ name: 'new' }] }));
    },

    '$patch: replace replaces a map': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { one: '1' }))).is(201);
      (await t.strategicPatch(`${path}/a`, { data: { $patch: 'replace', two: '2' } })).is(200, {
        data: exactly({ two: '2' }),
      });
    },

    '$retainKeys drops the keys that it does not name': async (t) => {
      const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
      (await t.strategicPatch(await target(t), patch)).is(200, { spec: { strategy: exactly({ type: 'Recreate' }) } });
    },

    '$setElementOrder orders a list': async (t) => {
      const patch = podSpec({
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'main' }],
        containers: [{ name: 'new', image: 'example.com/new:1' }],
      });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({ containers: [{ name: 'side' }, { name: 'new' }, { name: 'main' }] }),
      );
    },

    '$deleteFromPrimitiveList removes values': async (t) => {
      const path = configMaps(await t.namespace());
      const finalizers = ['example.com/a', 'example.com/b', 'example.com/c'];
      (await t.post(path, configMap('a', {}, { finalizers }))).is(201);
      const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/b'] } };
      (await t.strategicPatch(`${path}/a`, patch)).is(200, {
        metadata: { finalizers: ['example.com/a', 'example.com/c'] },
      });
    },

    'lists of values that merge are united, in the order of the patch': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      const patch = { metadata: { finalizers: ['example.com/b', 'example.com/a'] } };
      (await t.strategicPatch(`${path}/a`, patch)).is(200, {
        metadata: { finalizers: ['example.com/b', 'example.com/a'] },
      });
    },

    'null removes': async (t) => {
      const patch = podSpec({ containers: [{ name: 'main', args: null }] });
      (await t.strategicPatch(await target(t), patch)).is(
        200,
        podSpec({ containers: [{ name: 'main', args: undefined }, { name: 'side' }] }),
      );
    },

    'owner references merge by uid': async (t) => {
      const path = configMaps(await t.namespace());
      // Owners that do not exist would have the garbage collector act, where there is one.
      const real = (await t.post(path, configMap('owner'))).is(201).metadata.uid;
      const other = (await t.post(path, configMap('other'))).is(201).metadata.uid;
      const reference = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
      (await t.post(path, configMap('a', {}, { ownerReferences: [reference('owner', real)] }))).is(201);
      const patch = { metadata: { ownerReferences: [reference('other', other)] } };
      (await t.strategicPatch(`${path}/a`, patch)).is(200, {
        metadata: { ownerReferences: [{ uid: other }, { uid: real }] },
      });
    },

    'a resourceVersion in the patch is a condition': async (t) => {
      const patch = { metadata: { resourceVersion: '5' }, spec: { replicas: 2 } };
      (await t.strategicPatch(await target(t), patch)).refuses(modified('deployments.apps', 'a'));
    },

    'a patch that is no JSON is a bad request': async (t) => {
      (await t.strategicPatch(await target(t), 'nonsense')).refuses(badRequest(/^invalid character /));
    },

    'custom resources do not know it': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a'))).is(201);
      (await t.strategicPatch(`${path}/a`, { spec: { size: 2 } })).refuses({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      });
    },
  },
};
