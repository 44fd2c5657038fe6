/** Bodies that are well formed and meant badly: deep, full of odd names and numbers, or with more to remark on than fits. */
import type { Area } from '../case.ts';
import { type CustomKind, define, defineSchema, definition } from '../custom-resources.ts';
import type { Fields } from '../exchange.ts';
import { configMap } from '../objects.ts';
import { configMaps, customResourceDefinitions, deployments } from '../paths.ts';
import { badRequest, invalid } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/**
 * Real Kubernetes gives up on a write after 34 seconds, and what it takes for one grows with the square of the levels;
 * that ours takes them up to the limit is tried in packages/apiserver/test/deep-objects.test.ts.
 */
const nested = (levels: number, end = '1'): string => `${'{"a":'.repeat(levels)}${end}${'}'.repeat(levels)}`;
const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** As text: what is deep is too much for `JSON.stringify`. */
const deep = ({ apiVersion, kind }: CustomKind, spec: string, metadata: Fields = {}): string =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name: 'deep', ...metadata } }).slice(0, -1)},"spec":${spec}}`;

const holds = ({ last }: Trial, spec: string): void => last?.judge(last.text.includes(`"spec":${spec}`), true);

const tooDeep = "invalid character '{' exceeded max depth";

const unknown = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${String(i).padStart(4, '0')}`, 1]));

/** Names that objects of JavaScript have anyway. */
const oddData = '{"constructor":"a","toString":"b","__proto__":"c","hasOwnProperty":"d","valueOf":"e"}';
/** An object literal would take `__proto__` for something else. */
const odd = JSON.parse(oddData) as object;
const oddMap = (name: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":${oddData}}`;

const garbage = [{ garbage: 1 }, 'text', 5, [1], { 'f:data': 1 }, { 'k:notjson': {} }, { 'v:{': {} }, { 'i:x': {} }];

export const hostileBodies: Area = {
  name: 'hostile bodies',
  proves: [],
  cases: {
    'what is nested thousands deep is stored, shown, listed, watched, replaced and deleted': async (t) => {
      const levels = 2000;
      const kind = await define(t, definition());
      const path = kind.in(await t.namespace());
      const watch = await t.watch(path);
      (await t.post(path, deep(kind, nested(levels)))).is(201);
      const { metadata } = (await t.get(`${path}/deep`)).is(200, { metadata: { name: 'deep' } });
      holds(t, nested(levels));
      (await t.get(path)).is(200, { items: [{ metadata: { uid: metadata.uid } }] });
      holds(t, nested(levels));
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'deep' } } });
      (await t.get(path, { headers: { accept: partial } })).is(200, { items: [{ metadata: { name: 'deep' } }] });
      const { resourceVersion } = metadata;
      (await t.put(`${path}/deep`, deep(kind, nested(levels, '2'), { resourceVersion }))).is(200);
      holds(t, nested(levels, '2'));
      (await t.mergePatch(`${path}/deep`, { metadata: { labels: { a: 'b' } } })).is(200);
      holds(t, nested(levels, '2'));
      await watch.next({ type: 'MODIFIED', object: { metadata: { generation: 2 } } });
      await watch.next({ type: 'MODIFIED', object: { metadata: { labels: { a: 'b' } } } });
      (await t.delete(`${path}/deep`)).is(200);
      await watch.next({ type: 'DELETED', object: { metadata: { labels: { a: 'b' } } } });
    },

    'what is nested a thousand deep is patched in every way, and each level has its owner': async (t) => {
      const levels = 1000;
      const kind = await define(t, definition());
      const path = kind.in(await t.namespace());
      (await t.apply(`${path}/deep`, deep(kind, nested(levels)), { manager: 'one' })).is(201);
      const field = `.spec${'.a'.repeat(levels)}`;
      (await t.apply(`${path}/deep`, deep(kind, nested(levels, '2')), { manager: 'two' })).is(409, {
        message: `Apply failed with 1 conflict: conflict with "one": ${field}`,
        details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field }] },
      });
      (await t.apply(`${path}/deep`, deep(kind, nested(levels, '2')), { manager: 'two', force: true })).is(200);
      holds(t, nested(levels, '2'));
      (await t.mergePatch(`${path}/deep`, `{"spec":${nested(levels, '{"b":3}')}}`)).is(200);
      holds(t, nested(levels, '{"b":3}'));
      (await t.mergePatch(`${path}/deep`, `{"spec":${nested(levels, '{"b":null,"c":[3]}')}}`)).is(200);
      holds(t, nested(levels, '{"c":[3]}'));
      const pointer = `/spec${'/a'.repeat(levels)}`;
      const operations = [
        { op: 'test', path: pointer, value: { c: [3] } },
        { op: 'move', from: `${pointer}/c`, path: `${pointer}/d` },
      ];
      (await t.jsonPatch(`${path}/deep`, operations)).is(200);
      holds(t, nested(levels, '{"d":[3]}'));
      (await t.apply(`${path}/deep`, deep(kind, '{"a":{}}'), { manager: 'two' })).is(200);
      (await t.apply(`${path}/deep`, deep(kind, nested(levels, '{"d":4}')), { manager: 'one' })).is(409);
    },

    'lists are nested as deep as objects': async (t) => {
      const kind = await define(t, definition());
      const path = kind.in(await t.namespace());
      const lists = `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`;
      (await t.post(path, deep(kind, lists))).is(201);
      holds(t, lists);
      (await t.apply(`${path}/deep`, deep(kind, lists), { manager: 'one' })).is(200);
      holds(t, lists);
    },

    'a deep value where the schema wants a text is refused for its type': async (t) => {
      const texts = { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' } } } };
      const kind = await defineSchema(t, texts);
      const path = kind.in(await t.namespace());
      const wrong = (type: string) => ({
        details: { causes: [{ message: new RegExp(`must be of type string: "${type}"`) }] },
      });
      (await t.post(path, deep(kind, `[${'['.repeat(5000)}${']'.repeat(5000)}]`))).is(422, wrong('array'));
      (await t.post(path, deep(kind, `[${nested(5000)}]`))).is(422, wrong('object'));
    },

    'what a kind does not know is dropped, however deep': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, `{"metadata":{"name":"a"},"none":${nested(9000)}}`);
      answer.is(201, { none: undefined });
      answer.judge(answer.warnings, ['299 - "unknown field \\"none\\""']);
      (await t.post(path, `{"metadata":{"name":"b"},"data":${nested(9000)}}`)).is(400);
    },

    'what is nested deeper than ten thousand levels is not read, and nothing is left of it': async (t) => {
      const kind = await define(t, definition());
      const namespace = await t.namespace();
      const path = kind.in(namespace);
      const body = (levels: number) => deep(kind, nested(levels));
      const start = body(0).slice(0, 30).replaceAll('\\', '\\\\');
      const refused = badRequest(
        `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: ${tooDeep} (${start} ...)`,
      );
      (await t.post(path, body(11_000))).refuses(refused);
      (await t.post(path, body(1))).is(201);
      (await t.put(`${path}/deep`, body(11_000))).refuses(refused);
      const patch = badRequest(`error decoding patch: ${tooDeep}`);
      (await t.mergePatch(`${path}/deep`, `{"spec":${nested(11_000)}}`)).refuses(patch);
      (await t.jsonPatch(`${path}/deep`, `[{"op":"add","path":"/spec","value":${nested(11_000)}}]`)).refuses(patch);
      (await t.apply(`${path}/deep`, body(11_000), { manager: 'one' })).is(400);
      (await t.post(configMaps(namespace), `{"metadata":{"name":"a"},"data":${nested(11_000)}}`)).is(400);
      (await t.get(path)).is(200, { items: [{ spec: { a: 1 } }] });
    },

    'keys of data may be called like anything': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, oddMap('a'))).is(201, { data: odd });
      (await t.get(`${path}/a`)).is(200, { data: odd });
      const changed = JSON.parse('{"toString":"y","__proto__":"x","hasOwnProperty":"d","valueOf":"e"}') as object;
      (await t.mergePatch(`${path}/a`, '{"data":{"constructor":null,"__proto__":"x","toString":"y"}}')).is(200, {
        data: { ...changed, constructor: undefined },
      });
      (await t.strategicPatch(`${path}/a`, '{"data":{"__proto__":null,"toString":"z"}}')).is(200, {
        data: { toString: 'z', valueOf: 'e' },
      });
      t.last?.judge(Object.hasOwn(t.last.body.data as object, '__proto__'), false);
      const added = JSON.parse('{"__proto__":"jp","constructor":"jp"}') as object;
      (
        await t.jsonPatch(
          `${path}/a`,
          '[{"op":"add","path":"/data/__proto__","value":"jp"},{"op":"add","path":"/data/constructor","value":"jp"}]',
        )
      ).is(200, { data: added });
    },

    'keys of data are applied, whatever they are called': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.apply(`${path}/a`, oddMap('a'), { manager: 'one' })).is(201, { data: odd });
      (await t.apply(`${path}/a`, configMap('a', { constructor: 'a' }), { manager: 'one' })).is(200, {
        data: { constructor: 'a', toString: undefined },
      });
      (await t.apply(`${path}/a`, configMap('a', { constructor: 'b' }), { manager: 'two' })).is(409, {
        message: 'Apply failed with 1 conflict: conflict with "one": .data.constructor',
      });
    },

    'a label may not be called __proto__, and is not dropped for it': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}')).is(422, {
        details: { causes: [{ field: 'metadata.labels' }] },
      });
    },

    'members of a custom resource may be called like anything': async (t) => {
      const kind = await define(t, definition());
      const path = kind.in(await t.namespace());
      const head = `"apiVersion":"${kind.apiVersion}","kind":"${kind.kind}","metadata":{"name":"a"}`;
      const spec = '{"__proto__":{"x":1},"constructor":{"y":1},"toString":"z","hasOwnProperty":1}';
      (await t.post(path, `{${head},"spec":${spec}}`)).is(201, { spec: JSON.parse(spec) as object });
      (await t.get(`${path}/a`)).is(200, { spec: JSON.parse(spec) as object });
    },

    'a number that is too large for any number is not read': async (t) => {
      const kind = await define(t, definition());
      const namespace = await t.namespace();
      const head = `"apiVersion":"${kind.apiVersion}","kind":"${kind.kind}","metadata":{"name":"a"}`;
      const why = (number: string) => `json: cannot unmarshal number ${number} into Go value of type float64`;
      for (const number of ['1e999', '-1e999']) {
        (await t.post(kind.in(namespace), `{${head},"spec":{"a":"1e5000","b":${number}}}`)).refuses(
          badRequest(`${kind.kind} in version "v1" cannot be handled as a ${kind.kind}: ${why(number)}`),
        );
      }
      (await t.post(kind.in(namespace), `{${head},"spec":{"a":"1e999","b":1e300}}`)).is(201);
      (await t.mergePatch(`${kind.in(namespace)}/a`, '{"spec":{"b":1e999}}')).refuses(
        badRequest(`error decoding patch: ${why('1e999')}`),
      );
      (await t.post(deployments(namespace), '{"metadata":{"name":"a"},"spec":{"replicas":1e999}}')).refuses(
        badRequest(
          'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 1e999 into Go struct field DeploymentSpec.spec.replicas of type int32',
        ),
      );
      // Nobody looks at what nobody knows.
      (await t.post(configMaps(namespace), '{"metadata":{"name":"a"},"none":1e999}')).is(201);
    },

    'a hundred unknown fields are remarked on, and no more': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, { ...configMap('a'), ...unknown(400, 'unknown') });
      answer.is(201);
      answer.judge(answer.warnings.length, 100);
      answer.judge(answer.warnings[99], '299 - "unknown field \\"unknown0099\\""');
      (await t.get(`${path}/a`)).is(200);
    },

    'remarks that are long together are cut': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, { ...configMap('a'), ...unknown(40, 'u'.repeat(500)) });
      answer.is(201);
      answer.judge(answer.warnings, Array(16).fill(`299 - "unknown field \\"${'u'.repeat(241)}"`));
      const few = await t.post(path, { ...configMap('b'), ...unknown(3, 'u'.repeat(500)) });
      few.judge(
        few.warnings.map(({ length }) => length),
        [530, 530, 530],
      );
    },

    'a remark may name a field in any script': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, { ...configMap('a'), '\u{1f600}ü': 1 });
      answer.is(201);
      const [warning = ''] = answer.warnings;
      answer.judge(Buffer.from(warning, 'latin1').toString(), '299 - "unknown field \\"\u{1f600}ü\\""');
    },

    'a definition without versions is refused': async (t) => {
      const { metadata, spec } = definition();
      const { versions: _, ...rest } = spec;
      for (const versions of [undefined, null, []]) {
        (await t.post(customResourceDefinitions, { metadata, spec: { ...rest, versions } })).is(422, {
          details: { causes: [{ field: 'spec.versions' }, { field: 'status.storedVersions' }] },
        });
      }
      (await t.post(customResourceDefinitions, { metadata, spec: { ...rest, versions: null } })).refuses(
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io',
          metadata.name,
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: null: must have exactly one version marked as storage version',
            field: 'spec.versions',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: null: must have at least one stored version',
            field: 'status.storedVersions',
          },
        ),
      );
      (await t.post(customResourceDefinitions, { metadata })).is(422);
    },

    'half of a character can be escaped in JSON, and not in YAML': async (t) => {
      const path = configMaps(await t.namespace());
      const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"\\ud800"}}';
      (await t.post(path, body)).is(201);
      (await t.apply(`${path}/a`, body, { manager: 'one' })).refuses(
        badRequest(
          'error decoding YAML: error converting YAML to JSON: yaml: found invalid Unicode character escape code',
        ),
      );
      (await t.apply(`${path}/a`, body.replace('\\ud800', '\\\\ud800'), { manager: 'one', force: true })).is(200);
    },

    'a number of the query that is too large is not read': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.get(path, { query: { limit: '9223372036854775808' } })).refuses(
        badRequest('strconv.ParseInt: parsing "9223372036854775808": value out of range'),
      );
      (await t.get(path, { query: { limit: '9223372036854775807' } })).is(200);
    },

    'managedFields that make no sense are dropped': async (t) => {
      const path = configMaps(await t.namespace());
      for (const fieldsV1 of garbage) {
        const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
        (await t.post(path, configMap('a', {}, { managedFields: [entry] }), { query: { dryRun: 'All' } })).is(201, {
          metadata: { managedFields: undefined },
        });
      }
    },
  },
};
