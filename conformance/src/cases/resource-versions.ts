/** How resourceVersions grow, and that a write which changes nothing is none. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { resourceVersion } from '../match.ts';
import { configMap, lease } from '../objects.ts';
import { configMaps, leases } from '../paths.ts';

export const resourceVersions: Area = {
  name: 'resource versions',
  proves: ['RV1', 'RV2'],
  cases: {
    'one counter counts the writes to all kinds': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const first = (await t.post(configMaps(namespace), configMap('a'))).is(201, { metadata: { resourceVersion } });
      const second = (await t.post(leases(namespace), lease('b'))).is(201, { metadata: { resourceVersion } });
      const third = await t.post(widget.in(namespace), widget.object('c'));
      third.is(201, { metadata: { resourceVersion } });
      const numbers = [first, second, third.body].map(({ metadata }) => Number(metadata.resourceVersion));
      third.judge(
        numbers.toSorted((a, b) => a - b),
        numbers,
      );
      third.judge(new Set(numbers).size, 3);
    },

    'an update gives the object a greater resourceVersion': async (t) => {
      const namespace = await t.namespace();
      const created = (await t.post(configMaps(namespace), configMap('a', { key: '1' }))).is(201);
      const updated = await t.put(`${configMaps(namespace)}/a`, configMap('a', { key: '2' }));
      updated.is(200, { metadata: { resourceVersion } });
      const grew = Number(updated.body.metadata.resourceVersion) > Number(created.metadata.resourceVersion);
      updated.judge(grew, true, 'grew');
    },

    'a list carries a resourceVersion that covers every write before it': async (t) => {
      const namespace = await t.namespace();
      const created = (await t.post(configMaps(namespace), configMap('a'))).is(201);
      const list = await t.get(configMaps(namespace));
      list.is(200, { metadata: { resourceVersion } });
      const covers = Number(list.body.metadata.resourceVersion) >= Number(created.metadata.resourceVersion);
      list.judge(covers, true, 'covers');
    },

    'a PUT of what is there already keeps the resourceVersion and wakes no watcher': async (t) => {
      const namespace = await t.namespace();
      const created = (await t.post(configMaps(namespace), configMap('a', { key: '1' }))).is(201);
      const watch = await t.watch(configMaps(namespace), {
        resourceVersion: created.metadata.resourceVersion,
        fieldSelector: 'metadata.name!=kube-root-ca.crt', // which a controller puts there at any moment
      });
      const same = await t.put(`${configMaps(namespace)}/a`, created);
      same.is(200, created);
      await t.post(configMaps(namespace), configMap('sentinel'));
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'sentinel' } } });
    },

    'a PUT of what is there already by another manager keeps the resourceVersion': async (t) => {
      const namespace = await t.namespace();
      const created = (await t.post(configMaps(namespace), configMap('a', { key: '1' }))).is(201);
      const again = configMap('a', { key: '1' });
      const same = await t.put(`${configMaps(namespace)}/a`, again, { query: { fieldManager: 'another' } });
      same.is(200, created);
    },

    'a merge patch that changes nothing keeps the resourceVersion': async (t) => {
      const namespace = await t.namespace();
      const created = (await t.post(configMaps(namespace), configMap('a', { key: '1' }))).is(201);
      (await t.mergePatch(`${configMaps(namespace)}/a`, { data: { key: '1' } })).is(200, created);
    },

    'a PUT of a custom resource that changes nothing keeps the resourceVersion': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const created = (await t.post(widget.in(namespace), widget.object('a', { spec: { size: 2 } }))).is(201);
      (await t.put(`${widget.in(namespace)}/a`, created)).is(200, created);
    },

    'a GET may ask for any resourceVersion with 0 and gets the object': async (t) => {
      const namespace = await t.namespace();
      (await t.post(configMaps(namespace), configMap('a', { key: '1' }))).is(201);
      const path = `${configMaps(namespace)}/a`;
      await t.eventually(async () =>
        (await t.get(path, { query: { resourceVersion: 0 } })).is(200, { data: { key: '1' } }),
      );
    },

    'a GET at a resourceVersion that is still to come times out': async (t) => {
      const namespace = await t.namespace();
      (await t.post(configMaps(namespace), configMap('a'))).is(201);
      const answer = await t.get(`${configMaps(namespace)}/a`, { query: { resourceVersion: '999999999999' } });
      answer.refuses({
        code: 504,
        reason: 'Timeout',
        message: /^Timeout: Too large resource version: 999999999999, current: \d+$/,
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      });
    },

    // Not a bad request, as for lists: the number is read only below the layer that knows them.
    'a GET at a resourceVersion that is no number is an internal error': async (t) => {
      const namespace = await t.namespace();
      const answer = await t.get(`${configMaps(namespace)}/a`, { query: { resourceVersion: 'abc' } });
      answer.refuses({
        code: 500,
        reason: undefined,
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },
  },
};
