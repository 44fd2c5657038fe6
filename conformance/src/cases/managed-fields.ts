/** managedFields as every kind of write keeps them. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly, timestamp } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments } from '../paths.ts';

export const managedFields: Area = {
  name: 'managed fields',
  proves: ['S3'],
  cases: {
    'the manager is the parameter, else the user agent up to its slash': async (t) => {
      const path = configMaps(await t.namespace());
      const headers = { 'user-agent': 'tool/v1.2 (linux/amd64) abc' };
      const byAgent = await t.post(path, configMap('a', { key: '1' }), { headers });
      byAgent.is(201, { metadata: { managedFields: [{ manager: 'tool' }] } });
      const query = { fieldManager: 'named' };
      const byParameter = await t.post(path, configMap('b', { key: '1' }), { headers, query });
      byParameter.is(201, { metadata: { managedFields: [{ manager: 'named' }] } });
    },

    'an update by another manager takes what it changes, and its time': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { one: '1', two: '2' }), { query: { fieldManager: 'first' } })).is(201);
      const query = { fieldManager: 'second' };
      (await t.put(`${path}/a`, configMap('a', { one: '1', two: '3' }), { query })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'first', operation: 'Update', fieldsV1: exactly({ 'f:data': { '.': {}, 'f:one': {} } }) },
            exactly({
              manager: 'second',
              operation: 'Update',
              apiVersion: 'v1',
              time: timestamp,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:two': {} } },
            }),
          ],
        },
      });
    },

    'what is removed has no owner any more': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { one: '1', two: '2' }), { query: { fieldManager: 'first' } })).is(201);
      const query = { fieldManager: 'second' };
      (await t.mergePatch(`${path}/a`, { data: { two: null } }, { query })).is(200, {
        metadata: {
          managedFields: [{ manager: 'first', fieldsV1: exactly({ 'f:data': { '.': {}, 'f:one': {} } }) }],
        },
      });
    },

    'patches of all types record the manager as an update': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { zero: '0' }))).is(201);
      (await t.mergePatch(`${path}/a`, { data: { m: '1' } }, { query: { fieldManager: 'merger' } })).is(200);
      (await t.strategicPatch(`${path}/a`, { data: { s: '1' } }, { query: { fieldManager: 'strategist' } })).is(200);
      const operations = [{ op: 'add', path: '/data/j', value: '1' }];
      const last = await t.jsonPatch(`${path}/a`, operations, { query: { fieldManager: 'operator' } });
      const entry = (manager: string, field: string) => ({
        manager,
        operation: 'Update',
        fieldsV1: exactly({ 'f:data': { [field]: {} } }),
      });
      last.is(200);
      // Entries of the same second are ordered by manager.
      const { managedFields: entries } = last.body.metadata;
      const found = entries?.filter(({ manager }) => manager !== 'conformance');
      last.judge(
        found?.toSorted((a, b) => a.manager.localeCompare(b.manager)),
        [entry('merger', 'f:m'), entry('operator', 'f:j'), entry('strategist', 'f:s')],
        'managedFields',
      );
    },

    'entries that apply come before those that update': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { zero: '0' }))).is(201);
      (await t.apply(`${path}/a`, configMap('a', { one: '1' }), { manager: 'zz' })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'zz', operation: 'Apply' },
            { manager: 'conformance', operation: 'Update' },
          ],
        },
      });
    },

    'an update of the status is recorded under its subresource': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a', { spec: { size: 2 } }))).is(201, {
        metadata: {
          managedFields: [{ manager: 'conformance', fieldsV1: exactly({ 'f:spec': { '.': {}, 'f:size': {} } }) }],
        },
      });
      (await t.put(`${path}/a/status`, { ...created, status: { phase: 'Ready' } })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'conformance', subresource: undefined },
            exactly({
              manager: 'conformance',
              operation: 'Update',
              apiVersion: widget.apiVersion,
              time: timestamp,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } },
              subresource: 'status',
            }),
          ],
        },
      });
    },

    'defaults belong to the manager that creates': async (t) => {
      const path = deployments(await t.namespace());
      const body = deployment('a');
      (await t.post(path, body)).is(201, {
        metadata: {
          managedFields: [
            {
              fieldsV1: exactly({
                'f:spec': {
                  'f:paused': {},
                  'f:progressDeadlineSeconds': {},
                  'f:replicas': {},
                  'f:revisionHistoryLimit': {},
                  'f:selector': {},
                  'f:strategy': {
                    'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
                    'f:type': {},
                  },
                  'f:template': {
                    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
                    'f:spec': {
                      'f:containers': {
                        'k:{"name":"main"}': {
                          '.': {},
                          'f:image': {},
                          'f:imagePullPolicy': {},
                          'f:name': {},
                          'f:resources': {},
                          'f:terminationMessagePath': {},
                          'f:terminationMessagePolicy': {},
                        },
                      },
                      'f:dnsPolicy': {},
                      'f:restartPolicy': {},
                      'f:schedulerName': {},
                      'f:securityContext': {},
                      'f:terminationGracePeriodSeconds': {},
                    },
                  },
                },
              }),
            },
          ],
        },
      });
    },

    'an empty list in an update forgets all owners': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.apply(`${path}/a`, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.mergePatch(`${path}/a`, { metadata: { managedFields: [{}] } })).is(200, {
        metadata: { managedFields: undefined },
      });
    },

    'an update that leaves managedFields out keeps them': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.apply(`${path}/a`, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.put(`${path}/a`, configMap('a', { key: '1' }, { labels: { app: 'x' } }))).is(200, {
        metadata: {
          managedFields: [
            { manager: 'one', operation: 'Apply', fieldsV1: exactly({ 'f:data': { 'f:key': {} } }) },
            {
              manager: 'conformance',
              operation: 'Update',
              fieldsV1: exactly({ 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } }),
            },
          ],
        },
      });
    },

    'an update of what has no managedFields does not begin them': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201, { metadata: { managedFields: undefined } });
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200, {
        metadata: { managedFields: undefined },
        data: { key: '1' },
      });
    },

    'after the owners were forgotten, an apply finds one named before-first-apply': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }))).is(201);
      (await t.mergePatch(`${path}/a`, { metadata: { managedFields: [{}] } })).is(200);
      (await t.apply(`${path}/a`, configMap('a', { more: '2' }), { manager: 'one' })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'one', operation: 'Apply' },
            { manager: 'before-first-apply', operation: 'Update' },
          ],
        },
      });
    },
  },
};
