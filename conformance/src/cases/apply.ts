/** Server-side apply: ownership, conflicts, and what disappears when an applier no longer names it. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import type { Refusal } from '../exchange.ts';
import { differences, exactly, including, timestamp } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments, events } from '../paths.ts';
import { badRequest, invalid, modified } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const oneTarget = async (t: Trial) => `${configMaps(await t.namespace())}/a`;

const nothing = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** Who holds which fields that the applier wants to have otherwise. */
function conflicts(...held: readonly (readonly [by: string, field: string])[]): Refusal {
  const count = held.length === 1 ? '1 conflict' : `${held.length} conflicts`;
  const managers = [...new Set(held.map(([by]) => by))];
  const [only] = managers;
  const message =
    held.length === 1
      ? `conflict with ${only}: ${held[0]?.[1]}`
      : managers
          .map(
            (by) =>
              `conflicts with ${by}:\n${held
                .filter((h) => h[0] === by)
                .map(([, field]) => `- ${field}`)
                .join('\n')}`,
          )
          .join('\n');
  return {
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${count}: ${message}`,
    details: {
      // The message is sorted, the causes are not.
      causes: (causes: unknown) =>
        Array.isArray(causes) &&
        causes.length === held.length &&
        differences(
          causes,
          including(
            ...held.map(([by, field]) => ({ reason: 'FieldManagerConflict', message: `conflict with ${by}`, field })),
          ),
        ).length === 0,
    },
  };
}

/** An applied body that never becomes an object. */
function refused(body: unknown, refusal: Refusal): Proof {
  return async (t) => (await t.apply(await oneTarget(t), body, { manager: 'one' })).refuses(refusal);
}

const internal = (message: unknown): Refusal => ({ code: 500, reason: undefined, message });

export const apply: Area = {
  name: 'apply',
  proves: ['S1', 'S2', 'S3'],
  cases: {
    'what fits the schema and not the type cannot be converted': async (t) => {
      const namespace = await t.namespace();
      for (const [apiVersion, named, path] of [
        ['events.k8s.io/v1', 'events.k8s.io/v1', events(namespace)],
        ['v1', '/v1', `/api/v1/namespaces/${namespace}/events`],
      ]) {
        const event = { apiVersion, kind: 'Event', metadata: { name: 'a' }, eventTime: '2026-01-01T00:00:00Z' };
        (await t.apply(`${path}/a`, event, { manager: 'one' })).refuses({
          code: 500,
          reason: undefined,
          message: `failed to convert new object (/a; ${named}, Kind=Event) to proper version: unable to convert unstructured object to ${named}, Kind=Event: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`,
        });
      }
    },

    'what has another owner in another version, and cannot be converted to it, is refused with 500': async (t) => {
      const namespace = await t.namespace();
      const old = `/api/v1/namespaces/${namespace}/events`;
      const about = { kind: 'Pod', name: 'a', namespace };
      (await t.post(old, { metadata: { name: 'a' }, involvedObject: about, reason: 'r', type: 'Normal' })).is(201);
      const event = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'a' },
        eventTime: '2026-01-01T00:00:00Z',
      };
      (await t.apply(`${events(namespace)}/a`, event, { manager: 'one', force: true })).is(500, {
        message: /^failed to convert new object \(/,
      });
    },

    'what does not fit the schema is refused with 500, and numbers are shown as Go shows them': async (t) => {
      const path = `${configMaps(await t.namespace())}/a`;
      const refused = (why: string) => ({
        code: 500,
        reason: undefined,
        message: `failed to create typed patch object (/a; /v1, Kind=ConfigMap): ${why}`,
      });
      const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"';
      const apply = (rest: string) => t.apply(path, `${head}${rest}`, { manager: 'one' });
      (await apply('},"data":9223372036854775808}')).refuses(
        refused('.data: expected map, got &{9.223372036854776e+18}'),
      );
      (await apply('},"data":1.5e-7}')).refuses(refused('.data: expected map, got &{1.5e-07}'));
      (await apply('},"immutable":[1.5,10000000,true,null]}')).refuses(
        refused('.immutable: expected boolean, got &{[1.5 10000000 true <nil>]}'),
      );
      (await apply(',"namespace":[1]}}')).refuses(
        refused('.metadata.namespace: expected string, got &value.valueUnstructured{Value:[]interface {}{1}}'),
      );
    },

    'a list item whose key is no scalar is refused with 500, and named by that key': async (t) => {
      const path = `/api/v1/namespaces/${await t.namespace()}/podtemplates/a`;
      const apply = (ip: unknown) =>
        t.apply(
          path,
          {
            apiVersion: 'v1',
            kind: 'PodTemplate',
            metadata: { name: 'a' },
            template: { spec: { containers: [{ name: 'a', image: 'b' }], hostAliases: [{ ip }] } },
          },
          { manager: 'one' },
        );
      const refused = (value: string, ...items: readonly string[]) => {
        const messages = items.map(
          (item) =>
            `failed to create typed patch object (/a; /v1, Kind=PodTemplate): .template.spec.hostAliases[ip=${item}].ip: expected string, got &value.valueUnstructured{Value:${value}}`,
        );
        return { code: 500, reason: undefined, message: (said: unknown) => messages.includes(String(said)) };
      };
      (await apply({ b: 1, a: [1, { x: true }] })).refuses(
        refused(
          'map[string]interface {}{"a":[]interface {}{1, map[string]interface {}{"x":true}}, "b":1}',
          // Go walks the members by chance.
          'a=[1,x=true]b=1',
          'b=1a=[1,x=true]',
        ),
      );
      (await apply(['x'])).refuses(refused('[]interface {}{"x"}', '["x"]'));
    },

    'creates what does not exist': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201, {
        metadata: {
          name: 'a',
          managedFields: [
            exactly({
              manager: 'one',
              operation: 'Apply',
              apiVersion: 'v1',
              time: timestamp,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:key': {} } },
            }),
          ],
        },
        data: { key: '1' },
      });
    },

    'changes what exists and answers 200': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { key: '2' }), { manager: 'one' })).is(200, { data: { key: '2' } });
    },

    'of the same again changes nothing': async (t) => {
      const path = await oneTarget(t);
      const first = (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(200, exactly(first));
    },

    'takes YAML': async (t) => {
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: |\n    two\n    lines\n';
      (await t.apply(await oneTarget(t), body, { manager: 'one' })).is(201, { data: { key: 'two\nlines\n' } });
    },

    'the name may be left to the path if the object exists': async (t) => {
      const path = await oneTarget(t);
      const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { key: '1' } };
      (await t.apply(path, body, { manager: 'one' })).refuses(
        badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
      );
      (await t.apply(path, configMap('a'), { manager: 'one' })).is(201);
      (await t.apply(path, body, { manager: 'one' })).is(200, { data: { key: '1' } });
    },

    'a field that only this applier owned disappears when it is no longer applied': async (t) => {
      const path = await oneTarget(t);
      const both = configMap('a', { one: '1', two: '2' }, { labels: { app: 'x' } });
      (await t.apply(path, both, { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { one: '1' }), { manager: 'one' })).is(200, {
        metadata: { labels: undefined },
        data: exactly({ one: '1' }),
      });
    },

    'a field that two appliers own stays when one of them drops it': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { shared: '1', mine: '2' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { shared: '1' }), { manager: 'two' })).is(200);
      (await t.apply(path, configMap('a', { mine: '2' }), { manager: 'one' })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'two', fieldsV1: exactly({ 'f:data': { 'f:shared': {} } }) },
            { manager: 'one', fieldsV1: exactly({ 'f:data': { 'f:mine': {} } }) },
          ],
        },
        data: exactly({ shared: '1', mine: '2' }),
      });
      (await t.apply(path, nothing, { manager: 'two' })).is(200, { data: exactly({ mine: '2' }) });
    },

    'a field that was written by others stays when the applier never owned it': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { mine: '1' }), { manager: 'one' })).is(201);
      (await t.mergePatch(path, { data: { theirs: '2' } })).is(200);
      (await t.apply(path, configMap('a', { mine: '3' }), { manager: 'one' })).is(200, {
        data: exactly({ mine: '3', theirs: '2' }),
      });
    },

    'a manager that applies nothing any more disappears': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { more: '2' }), { manager: 'two' })).is(200);
      (await t.apply(path, nothing, { manager: 'two' })).is(200, {
        metadata: { managedFields: [{ manager: 'one' }] },
        data: exactly({ key: '1' }),
      });
    },

    // Only ownership changes, and for that the new entry gets no time, which sorts it to the front.
    'the same value by another applier is no conflict': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'two' })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'two', time: undefined },
            { manager: 'one', time: timestamp },
          ],
        },
      });
    },

    'an empty map that is applied is owned itself': async (t) => {
      (await t.apply(await oneTarget(t), configMap('a', {}), { manager: 'one' })).is(201, {
        metadata: { managedFields: [{ fieldsV1: exactly({ 'f:data': {} }) }] },
        data: undefined,
      });
    },

    'another value of a field that an applier owns conflicts': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { key: '2' }), { manager: 'two' })).refuses(
        conflicts(['"one"', '.data.key']),
      );
      (await t.get(path)).is(200, { data: { key: '1' } });
    },

    'another value of a field that was updated conflicts, and the version is told': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }))).is(201);
      (await t.apply(`${path}/a`, configMap('a', { key: '2' }), { manager: 'two' })).refuses(
        conflicts(['"conformance" using v1', '.data.key']),
      );
    },

    'several conflicts are listed by manager': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { one: '1', uno: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { two: '2' }), { manager: 'two' })).is(200);
      (await t.apply(path, configMap('a', { one: '3', uno: '3', two: '3' }), { manager: 'three' })).refuses(
        conflicts(['"one"', '.data.one'], ['"one"', '.data.uno'], ['"two"', '.data.two']),
      );
    },

    'force takes the field from its owner': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1', rest: '1' }), { manager: 'one' })).is(201);
      (await t.apply(path, configMap('a', { key: '2' }), { manager: 'two', force: true })).is(200, {
        metadata: {
          managedFields: [
            { manager: 'one', fieldsV1: exactly({ 'f:data': { 'f:rest': {} } }) },
            { manager: 'two', fieldsV1: exactly({ 'f:data': { 'f:key': {} } }) },
          ],
        },
        data: exactly({ key: '2', rest: '1' }),
      });
      (await t.apply(path, configMap('a', { key: '1', rest: '1' }), { manager: 'one' })).refuses(
        conflicts(['"two"', '.data.key']),
      );
    },

    'an update of an applied field takes it from the applier': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      (await t.mergePatch(path, { data: { key: '2' } })).is(200, {
        metadata: { managedFields: [{ manager: 'conformance', operation: 'Update' }] },
      });
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(409, { reason: 'Conflict' });
    },

    'an applier that no longer names what was taken from it has no conflict': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1', rest: '1' }), { manager: 'one' })).is(201);
      (await t.mergePatch(path, { data: { key: '2' } })).is(200);
      (await t.apply(path, configMap('a', { rest: '1' }), { manager: 'one' })).is(200, {
        data: exactly({ key: '2', rest: '1' }),
      });
    },

    'a manager that updates and one that applies under one name are two': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }), { query: { fieldManager: 'one' } })).is(201);
      const answer = await t.apply(`${path}/a`, configMap('a', { key: '2' }), { manager: 'one' });
      answer.refuses(conflicts(['"one" using v1', '.data.key']));
    },

    'lists with keys merge by key, and each element has its owner': async (t) => {
      const path = `${deployments(await t.namespace())}/a`;
      const body = deployment('a');
      (await t.apply(path, body, { manager: 'one' })).is(201);
      const containers = [{ name: 'side', image: 'example.com/side:1' }];
      const side = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec: { containers } } } };
      (await t.apply(path, side, { manager: 'two' })).is(200, {
        spec: { template: { spec: { containers: [{ name: 'main' }, { name: 'side' }] } } },
      });
      (await t.apply(path, { apiVersion: 'apps/v1', kind: 'Deployment' }, { manager: 'two' })).is(200, {
        spec: { template: { spec: { containers: [{ name: 'main' }] } } },
      });
    },

    'an applied element shows its keys in managedFields': async (t) => {
      const path = `${deployments(await t.namespace())}/a`;
      const containers = [{ name: 'main', image: 'example.com/main:1', ports: [{ containerPort: 80 }] }];
      const body = deployment('a');
      const template = { ...body.spec.template, spec: { containers } };
      (await t.apply(path, { ...body, spec: { ...body.spec, template } }, { manager: 'one' })).is(201, {
        metadata: {
          managedFields: [
            {
              fieldsV1: exactly({
                'f:spec': {
                  'f:paused': {},
                  'f:replicas': {},
                  'f:selector': {},
                  'f:template': {
                    'f:metadata': { 'f:labels': { 'f:app': {} } },
                    'f:spec': {
                      'f:containers': {
                        'k:{"name":"main"}': {
                          '.': {},
                          'f:image': {},
                          'f:name': {},
                          'f:ports': {
                            'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                          },
                        },
                      },
                    },
                  },
                },
              }),
            },
          ],
        },
      });
    },

    'defaults do not belong to the applier': async (t) => {
      const path = `${deployments(await t.namespace())}/a`;
      const body = deployment('a');
      (await t.apply(path, body, { manager: 'one' })).is(201);
      const patch = { spec: { revisionHistoryLimit: 3 } };
      (await t.mergePatch(path, patch)).is(200, { spec: { revisionHistoryLimit: 3 } });
      (await t.apply(path, body, { manager: 'one' })).is(200, { spec: { revisionHistoryLimit: 3 } });
    },

    'finalizers are a set': async (t) => {
      const path = await oneTarget(t);
      const finalizer = (name: string) => ({
        ...nothing,
        metadata: { name: 'a', finalizers: [`example.com/${name}`] },
      });
      (await t.apply(path, finalizer('one'), { manager: 'one' })).is(201, {
        metadata: {
          managedFields: [{ fieldsV1: exactly({ 'f:metadata': { 'f:finalizers': { 'v:"example.com/one"': {} } } }) }],
        },
      });
      (await t.apply(path, finalizer('two'), { manager: 'two' })).is(200, {
        metadata: { finalizers: ['example.com/one', 'example.com/two'] },
      });
      (await t.apply(path, nothing, { manager: 'one' })).is(200, {
        metadata: { finalizers: ['example.com/two'] },
      });
    },

    'custom resources: lists follow their list types': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      const first = { spec: { parts: [{ name: 'x' }], tags: ['red'], steps: ['one'] } };
      (await t.apply(path, widget.object('a', first), { manager: 'one' })).is(201, {
        metadata: {
          managedFields: [
            {
              fieldsV1: exactly({
                'f:spec': {
                  'f:parts': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
                  'f:steps': {},
                  'f:tags': { 'v:"red"': {} },
                },
              }),
            },
          ],
        },
      });
      const second = { spec: { parts: [{ name: 'y', count: 2 }], tags: ['blue'] } };
      (await t.apply(path, widget.object('a', second), { manager: 'two' })).is(200, {
        spec: {
          parts: [
            { name: 'x', count: 1 },
            { name: 'y', count: 2 },
          ],
          tags: ['red', 'blue'],
          steps: ['one'],
        },
      });
      const third = { spec: { steps: ['two'] } };
      (await t.apply(path, widget.object('a', third), { manager: 'three' })).refuses(
        conflicts(['"one"', '.spec.steps']),
      );
    },

    'custom resources: a conflict inside a list names the element': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      const part = (count: number) => widget.object('a', { spec: { parts: [{ name: 'x', count }] } });
      (await t.apply(path, part(1), { manager: 'one' })).is(201);
      (await t.apply(path, part(2), { manager: 'two' })).refuses(conflicts(['"one"', '.spec.parts[name="x"].count']));
    },

    'custom resources: maps merge by key': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      (await t.apply(path, widget.object('a', { spec: { env: { A: '1' } } }), { manager: 'one' })).is(201);
      (await t.apply(path, widget.object('a', { spec: { env: { B: '2' } } }), { manager: 'two' })).is(200, {
        spec: { env: exactly({ A: '1', B: '2' }) },
      });
    },

    'a status is applied by its subresource': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      (await t.apply(path, widget.object('a', { spec: { size: 2 } }), { manager: 'one' })).is(201);
      const status = { conditions: [{ type: 'Available', status: 'True' }] };
      (await t.apply(`${path}/status`, widget.object('a', { status }), { manager: 'one' })).is(200, {
        metadata: {
          generation: 1,
          managedFields: [
            { manager: 'one', operation: 'Apply', subresource: undefined },
            exactly({
              manager: 'one',
              operation: 'Apply',
              apiVersion: widget.apiVersion,
              time: timestamp,
              fieldsType: 'FieldsV1',
              fieldsV1: {
                'f:status': {
                  'f:conditions': { 'k:{"type":"Available"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
                },
              },
              subresource: 'status',
            }),
          ],
        },
        spec: { size: 2 },
        status,
      });
    },

    'a spec is ignored when a status is applied': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      (await t.apply(path, widget.object('a', { spec: { size: 2 } }), { manager: 'one' })).is(201);
      const body = widget.object('a', { spec: { size: 5 }, status: { phase: 'Ready' } });
      (await t.apply(`${path}/status`, body, { manager: 'two' })).is(200, {
        metadata: { managedFields: [{ manager: 'one' }, { fieldsV1: exactly({ 'f:status': { 'f:phase': {} } }) }] },
        spec: { size: 2 },
        status: { phase: 'Ready' },
      });
    },

    'of the status of what does not exist is not found': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      const body = widget.object('a', { status: { phase: 'Ready' } });
      (await t.apply(`${path}/status`, body, { manager: 'one' })).is(404, { reason: 'NotFound' });
    },

    'a stale resourceVersion conflicts': async (t) => {
      const path = await oneTarget(t);
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one' })).is(201);
      const stale = configMap('a', { key: '2' }, { resourceVersion: '5' });
      (await t.apply(path, stale, { manager: 'one' })).refuses(modified('configmaps', 'a'));
    },

    'with a resourceVersion that no object has makes what does not exist, and conflicts with what does': async (t) => {
      const path = await oneTarget(t);
      const first = await t.apply(path, configMap('a', { key: '1' }, { resourceVersion: '1' }), { manager: 'one' });
      first.is(201, { data: { key: '1' } });
      first.judge(first.body.metadata.resourceVersion !== '1', true, 'a resourceVersion of its own');
      const again = configMap('a', { key: '2' }, { resourceVersion: '1' });
      (await t.apply(path, again, { manager: 'one', force: true })).refuses(modified('configmaps', 'a'));
      (await t.get(path)).is(200, { data: { key: '1' } });
    },

    'of what does not exist with a uid conflicts': async (t) => {
      const uid = '00000000-0000-4000-8000-000000000000';
      const answer = await t.apply(await oneTarget(t), configMap('a', {}, { uid }), { manager: 'one' });
      answer.refuses({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        details: { name: 'a', kind: 'configmaps' },
      });
    },

    'needs a manager': async (t) => {
      (await t.apply(await oneTarget(t), configMap('a'))).refuses(
        invalid('PatchOptions.meta.k8s.io', '', {
          reason: 'FieldValueRequired',
          message: 'Required value: is required for apply patch',
          field: 'fieldManager',
        }),
      );
    },

    'a manager has at most 128 characters': async (t) => {
      const answer = await t.apply(await oneTarget(t), configMap('a'), { manager: 'm'.repeat(129) });
      answer.refuses(
        invalid('PatchOptions.meta.k8s.io', '', {
          reason: 'FieldValueTooLong',
          message: 'Too long: may not be more than 128 bytes',
          field: 'fieldManager',
        }),
      );
    },

    'a body with managedFields is a bad request': refused(
      configMap('a', {}, { managedFields: [{ manager: 'one' }] }),
      badRequest('metadata.managedFields must be nil'),
    ),
    'a body of another kind is a bad request': refused(
      { ...configMap('a'), kind: 'Secret' },
      badRequest('invalid object type: /v1, Kind=Secret'),
    ),
    'a body without kind is a bad request': refused(
      { metadata: { name: 'a' } },
      badRequest('invalid object type: /, Kind='),
    ),
    'a body with another name is a bad request': refused(
      configMap('b', { key: '1' }),
      badRequest('the name of the object (b) does not match the name on the URL (a)'),
    ),
    'a body that is no YAML is a bad request': refused('a: {', badRequest(/^error decoding YAML: /)),
    // Internal errors, although the faults are the client's.
    'a field that the schema does not know is an internal error': refused(
      { ...configMap('a'), extra: 1 },
      internal('failed to create typed patch object (/a; /v1, Kind=ConfigMap): .extra: field not declared in schema'),
    ),
    'a value of the wrong type is an internal error': refused(
      configMap('a', { key: 5 }),
      internal(
        /^failed to create typed patch object \(\/a; \/v1, Kind=ConfigMap\): \.data\.key: expected string, got /,
      ),
    ),

    'the result is validated': async (t) => {
      const path = `${deployments(await t.namespace())}/a`;
      (await t.apply(path, deployment('a', { replicas: -1 }), { manager: 'one' })).refuses(
        invalid('Deployment.apps', 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: -1: must be greater than or equal to 0',
          field: 'spec.replicas',
        }),
      );
    },

    'custom resources: a field that the schema does not know is an internal error': async (t) => {
      const widget = await widgets(t);
      const path = `${widget.in(await t.namespace())}/a`;
      const answer = await t.apply(path, widget.object('a', { spec: { sizze: 1 } }), { manager: 'one' });
      answer.refuses(
        internal(
          `failed to create typed patch object (/a; ${widget.apiVersion}, Kind=Widget): .spec.sizze: field not declared in schema`,
        ),
      );
    },
    'a field that the schema does not know is no less wrong where fields are not validated': async (t) => {
      const widget = await widgets(t);
      const namespace = await t.namespace();
      const unknown: readonly (readonly [string, object])[] = [
        [`${configMaps(namespace)}/a`, { ...configMap('a'), extra: 1 }],
        [`${widget.in(namespace)}/a`, widget.object('a', { spec: { sizze: 1 } })],
      ];
      for (const [path, body] of unknown) {
        const answer = await t.apply(path, body, { manager: 'one', query: { fieldValidation: 'Ignore' } });
        answer.refuses(internal(/: field not declared in schema$/));
      }
    },
  },
};
