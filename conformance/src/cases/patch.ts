/** JSON patch and merge patch, and what holds for patches of every type. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly } from '../match.ts';
import { configMap } from '../objects.ts';
import { configMaps } from '../paths.ts';
import { badRequest, invalid, modified, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/** The path of a new ConfigMap with data one=1 and two=2. */
async function target(t: Trial): Promise<string> {
  const path = configMaps(await t.namespace());
  (await t.post(path, configMap('a', { one: '1', two: '2' }, { labels: { app: 'x' } }))).is(201);
  return `${path}/a`;
}

type Operation = Readonly<Record<string, unknown>>;

/** A JSON patch turns the data of the target into this. */
function turnsInto(operations: readonly Operation[], data: Readonly<Record<string, string>>): Proof {
  return async (t) => {
    const path = await target(t);
    (await t.jsonPatch(path, operations)).is(200, { data: exactly(data) });
    (await t.get(path)).is(200, { data: exactly(data) });
  };
}

/** Why a patch could not be applied is not said. */
const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

function cannotBeApplied(...operations: readonly Operation[]): Proof {
  return async (t) => {
    const path = await target(t);
    (await t.jsonPatch(path, operations)).refuses(rejected);
    (await t.get(path)).is(200, { data: exactly({ one: '1', two: '2' }) });
  };
}

export const patch: Area = {
  name: 'patch',
  proves: ['PT1', 'C2', 'E1'],
  cases: {
    'JSON: add adds': turnsInto([{ op: 'add', path: '/data/three', value: '3' }], { one: '1', two: '2', three: '3' }),
    'JSON: add replaces': turnsInto([{ op: 'add', path: '/data/one', value: '3' }], { one: '3', two: '2' }),
    'JSON: replace replaces': turnsInto([{ op: 'replace', path: '/data/one', value: '3' }], { one: '3', two: '2' }),
    // The RFC says otherwise.
    'JSON: replace also adds a missing key': turnsInto([{ op: 'replace', path: '/data/three', value: '3' }], {
      one: '1',
      two: '2',
      three: '3',
    }),
    'JSON: remove removes': turnsInto([{ op: 'remove', path: '/data/one' }], { two: '2' }),
    'JSON: move moves': turnsInto([{ op: 'move', from: '/data/one', path: '/data/three' }], { two: '2', three: '1' }),
    'JSON: copy copies': turnsInto([{ op: 'copy', from: '/data/one', path: '/data/three' }], {
      one: '1',
      two: '2',
      three: '1',
    }),
    'JSON: what follows a test that holds is done': turnsInto(
      [
        { op: 'test', path: '/data/one', value: '1' },
        { op: 'replace', path: '/data/one', value: '2' },
      ],
      { one: '2', two: '2' },
    ),

    'JSON: ~1 is a slash and ~0 a tilde': async (t) => {
      const path = await target(t);
      const operations = [{ op: 'add', path: '/metadata/labels/example.com~1key', value: 'v' }];
      (await t.jsonPatch(path, operations)).is(200, { metadata: { labels: { 'example.com/key': 'v', app: 'x' } } });
    },

    'JSON: - appends to a list, a negative index counts from its end': async (t) => {
      const path = await target(t);
      const finalizers = ['example.com/a', 'example.com/b'];
      const operations = [
        { op: 'add', path: '/metadata/finalizers', value: finalizers },
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
        { op: 'remove', path: '/metadata/finalizers/-2' },
      ];
      const expected = ['example.com/a', 'example.com/c'];
      (await t.jsonPatch(path, operations)).is(200, { metadata: { finalizers: expected } });
    },

    'JSON: a test that does not hold refuses all': cannotBeApplied(
      { op: 'remove', path: '/data/two' },
      { op: 'test', path: '/data/one', value: '9' },
    ),
    'JSON: remove of a missing key is refused': cannotBeApplied({ op: 'remove', path: '/data/three' }),
    'JSON: add below a missing object is refused': cannotBeApplied({ op: 'add', path: '/none/three', value: '3' }),
    'JSON: an unknown operation is refused': cannotBeApplied({ op: 'increase', path: '/data/one' }),
    'JSON: an index outside the list is refused': cannotBeApplied(
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/a'] },
      { op: 'add', path: '/metadata/finalizers/9', value: 'example.com/b' },
    ),

    'JSON: a patch that is no list is a bad request': async (t) => {
      (await t.jsonPatch(await target(t), { op: 'remove', path: '/data/one' })).refuses(
        badRequest(/^error decoding patch: json: cannot unmarshal object into Go value of type /),
      );
    },

    'JSON: a patch that is no JSON is a bad request': async (t) => {
      (await t.jsonPatch(await target(t), 'nonsense')).refuses(badRequest(/^error decoding patch: invalid character /));
    },

    'JSON: more than 10000 operations are too many': async (t) => {
      const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/one', value: '1' }));
      (await t.jsonPatch(await target(t), operations)).refuses({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      });
    },

    'merge: changes, adds and, with null, removes': async (t) => {
      const answer = await t.mergePatch(await target(t), { data: { one: null, two: '3', three: '4' } });
      answer.is(200, { metadata: { labels: { app: 'x' } }, data: exactly({ two: '3', three: '4' }) });
    },

    'merge: null removes a whole map': async (t) => {
      const answer = await t.mergePatch(await target(t), { data: null, metadata: { labels: null } });
      answer.is(200, { metadata: { labels: undefined }, data: undefined });
    },

    'merge: a list is replaced whole': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { steps: ['one', 'two'] } }))).is(201);
      (await t.mergePatch(`${path}/a`, { spec: { steps: ['three'] } })).is(200, { spec: { steps: ['three'] } });
    },

    'merge: a patch that is no object is a bad request': async (t) => {
      (await t.mergePatch(await target(t), [])).refuses(
        badRequest('error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'),
      );
    },

    'merge: a value of the wrong type makes the patch invalid': async (t) => {
      // Kind and name are empty, and the whole patched object is quoted.
      (await t.mergePatch(await target(t), { data: { one: 5 } })).refuses({
        code: 422,
        reason: 'Invalid',
        message:
          /^ "" is invalid: patch: Invalid value: "\{.*\}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
        details: { causes: [{ reason: 'FieldValueInvalid', message: /^Invalid value: /, field: 'patch' }] },
      });
    },

    'a resourceVersion in a patch is a condition': async (t) => {
      const path = await target(t);
      const { metadata } = (await t.get(path)).is(200);
      const { resourceVersion } = metadata;
      (await t.mergePatch(path, { metadata: { resourceVersion }, data: { one: '2' } })).is(200);
      (await t.mergePatch(path, { metadata: { resourceVersion }, data: { one: '3' } })).refuses(
        modified('configmaps', 'a'),
      );
      const operations = [
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/data/one', value: '3' },
      ];
      (await t.jsonPatch(path, operations)).refuses(modified('configmaps', 'a'));
    },

    'a patch without a resourceVersion wins over concurrent ones': async (t) => {
      const path = await target(t);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, i) => t.mergePatch(path, { data: { [`p${i}`]: 'done' } })),
      );
      for (const answer of answers) answer.is(200);
      const data = { one: '1', two: '2', p0: 'done', p1: 'done', p2: 'done', p3: 'done', p4: 'done' };
      (await t.get(path)).is(200, { data: exactly(data) });
    },

    'what does not exist is not found': async (t) => {
      const path = `${configMaps(await t.namespace())}/a`;
      (await t.mergePatch(path, { data: { one: '1' } })).refuses(notFound('configmaps', 'a'));
      (await t.jsonPatch(path, [])).refuses(notFound('configmaps', 'a'));
      (await t.strategicPatch(path, {})).refuses(notFound('configmaps', 'a'));
    },

    'the name cannot be patched': async (t) => {
      const path = await target(t);
      const message = 'the name of the object (b) does not match the name on the URL (a)';
      (await t.mergePatch(path, { metadata: { name: 'b' } })).refuses(badRequest(message));
      const operations = [{ op: 'replace', path: '/metadata/name', value: 'b' }];
      (await t.jsonPatch(path, operations)).refuses(badRequest(message));
    },

    'the uid cannot be patched': async (t) => {
      const uid = '00000000-0000-4000-8000-000000000000';
      const message = `Invalid value: "${uid}": field is immutable`;
      const cause = { reason: 'FieldValueInvalid', message, field: 'metadata.uid' };
      // Metadata of built-in kinds is validated twice: two causes, one message.
      const answer = await t.mergePatch(await target(t), { metadata: { uid } });
      answer.refuses(invalid('ConfigMap', 'a', cause, cause));
    },

    'the result of a patch is validated': async (t) => {
      const rule =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
      (await t.mergePatch(await target(t), { data: { 'a b': 'c' } })).refuses(
        invalid('ConfigMap', 'a', {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "a b": ${rule}`,
          field: 'data[a b]',
        }),
      );
    },

    'a patch of an unknown type is refused': async (t) => {
      const headers = { 'content-type': 'application/json' };
      (await t.send('PATCH', await target(t), { headers, body: {} })).refuses({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
        details: {},
      });
    },

    'force is refused for patches other than apply': async (t) => {
      const query = { force: true };
      (await t.mergePatch(await target(t), { data: { one: '2' } }, { query })).refuses(
        invalid('PatchOptions.meta.k8s.io', '', {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: may not be specified for non-apply patch',
          field: 'force',
        }),
      );
    },
  },
};
