/** Label and field selectors of lists. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import type { Body } from '../exchange.ts';
import { configMap, pod } from '../objects.ts';
import { configMaps, namespaces, pods, secrets, serviceAccounts } from '../paths.ts';

const namesOf = ({ items }: Body) => items.map(({ metadata }) => metadata.name);

/** Objects a (tier=front, track=stable), b (tier=back, track=canary), c (tier=back), d (no tier): which are selected? */
function selects(labelSelector: string, expected: readonly string[]): Proof {
  return async (t) => {
    const path = configMaps(await t.namespace());
    const label = (labels: Record<string, string>) => ({ labels: { set: 'ours', ...labels } });
    (await t.post(path, configMap('a', {}, label({ tier: 'front', track: 'stable' })))).is(201);
    (await t.post(path, configMap('b', {}, label({ tier: 'back', track: 'canary' })))).is(201);
    (await t.post(path, configMap('c', {}, label({ tier: 'back' })))).is(201);
    (await t.post(path, configMap('d', {}, label({ empty: '' })))).is(201);
    const answer = await t.get(path, { query: { labelSelector: `set=ours,${labelSelector}` } });
    answer.judge(namesOf(answer.is(200)), expected, 'names');
  };
}

function badLabels(labelSelector: string, message: unknown): Proof {
  return async (t) => {
    const answer = await t.get(configMaps('default'), { query: { labelSelector } });
    answer.refuses({ code: 400, reason: 'BadRequest', message });
  };
}

function badFields(path: string, fieldSelector: string, message: unknown): Proof {
  return async (t) => {
    (await t.get(path, { query: { fieldSelector } })).refuses({ code: 400, reason: 'BadRequest', message });
  };
}

export const selectors: Area = {
  name: 'selectors',
  proves: ['W5'],
  cases: {
    'labels: key=value selects what has that value': selects('tier=back', ['b', 'c']),
    'labels: key==value means the same': selects('tier==back', ['b', 'c']),
    'labels: key!=value also selects what lacks the key': selects('tier!=back', ['a', 'd']),
    'labels: in selects any of the values': selects('tier in (front, back)', ['a', 'b', 'c']),
    'labels: notin also selects what lacks the key': selects('tier notin (front)', ['b', 'c', 'd']),
    'labels: a key alone selects what has it': selects('track', ['a', 'b']),
    'labels: !key selects what lacks it': selects('!track', ['c', 'd']),
    'labels: key= selects the empty value': selects('empty=', ['d']),
    'labels: commas mean and': selects('tier=back,track in (canary),!empty', ['b']),

    'labels: an operator without a key is a bad request': badLabels(
      '===',
      "found '==', expected: !, identifier, or 'end of string'",
    ),
    'labels: in without brackets is a bad request': badLabels(
      'a in b',
      "unable to parse requirement: found 'b' expected: '('",
    ),
    'labels: a key that no label may have is a bad request': badLabels(
      '-a=b',
      /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters/,
    ),

    'labels: each place has its own complaint': async (t) => {
      const complaints: readonly (readonly [selector: string, message: string | RegExp])[] = [
        ['!=a', "found '!=', expected: !, identifier, or 'end of string'"],
        ['a,', "found '', expected: identifier after ','"],
        ['a=b c', "found 'c', expected: ',' or 'end of string'"],
        ['!', "unable to parse requirement: found '', expected: identifier"],
        ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
        ['a===b', "unable to parse requirement: found '=', expected: identifier"],
        ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
        ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
      ];
      for (const [labelSelector, message] of complaints) await badLabels(labelSelector, message)(t);
    },
    'labels: the key is judged before what follows it, and all values are, in their order': async (t) => {
      const complaints: readonly (readonly [selector: string, message: RegExp])[] = [
        ['-a b', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must/],
        ['a>b', /^unable to parse requirement: values\[0\]: Invalid value: "b": for 'Gt', 'Lt' .* an integer$/],
        ['a>-b', /^unable to parse requirement: \[values\[0\]: .* an integer, values\[0\]\[a\]: .*"-b": a valid.*\]$/],
        ['a>-5', /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-5": a valid label must/],
        [
          'a in (z-,-b)',
          /^unable to parse requirement: \[values\[0\]\[a\]: .*"-b": .*, values\[1\]\[a\]: .*"z-": .*\]$/,
        ],
        [
          `a=-${'b'.repeat(63)}`,
          /^unable to parse requirement: values\[0\]\[a\]: .*: must be no more than 63 .*; a valid/,
        ],
        [`-${'b'.repeat(63)}`, /^unable to parse requirement: <nil>: .*: name part must be no more.*; name part must/],
      ];
      for (const [labelSelector, message] of complaints) await badLabels(labelSelector, message)(t);
    },

    'fields: each mistake has its own complaint, the one in the first term by order being told': async (t) => {
      const complaints: readonly (readonly [selector: string, message: string | RegExp])[] = [
        ['b,a', "invalid selector: 'b,a'; can't understand 'a'"],
        ['a\\,b', "invalid selector: 'a\\,b'; can't understand 'a\\,b'"],
        ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
        ['metadata.name=a\\x', 'invalid field selector: invalid escape sequence: \\x'],
        ['metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
        ['y=\\q,x=b=c', 'invalid field selector: unescaped character in value: 61'],
        ['z,metadata.name=b=c', 'invalid field selector: unescaped character in value: 61'],
        ['=x', /^"" is not a known field selector/],
        ['=x,zz', "invalid selector: '=x,zz'; can't understand 'zz'"],
      ];
      for (const [fieldSelector, message] of complaints)
        await badFields(configMaps('default'), fieldSelector, message)(t);
    },

    'fields: metadata.name selects one object': async (t) => {
      const path = configMaps(await t.namespace());
      for (const name of ['a', 'b']) (await t.post(path, configMap(name))).is(201);
      const answer = await t.get(path, { query: { fieldSelector: 'metadata.name=b' } });
      answer.judge(namesOf(answer.is(200)), ['b']);
    },

    'fields: metadata.namespace selects in a list over all namespaces': async (t) => {
      const [one, other] = [await t.namespace(), await t.namespace()];
      for (const space of [one, other]) (await t.post(configMaps(space), configMap('a'))).is(201);
      const query = { fieldSelector: `metadata.namespace=${one},metadata.name=a` };
      (await t.get('/api/v1/configmaps', { query })).is(200, { items: [{ metadata: { namespace: one, name: 'a' } }] });
    },

    'fields: != excludes': async (t) => {
      const path = configMaps(await t.namespace());
      for (const name of ['a', 'b']) (await t.post(path, configMap(name, {}, { labels: { ours: 'yes' } }))).is(201);
      const answer = await t.get(path, { query: { fieldSelector: 'metadata.name!=b', labelSelector: 'ours' } });
      answer.judge(namesOf(answer.is(200)), ['a']);
    },

    'fields: pods are selected by spec.nodeName and status.phase': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('placed', { nodeName: 'conformance' }))).is(201);
      (await t.post(pods(namespace), pod('waiting'))).is(201);
      const fieldSelector = 'spec.nodeName=conformance,status.phase=Pending,spec.restartPolicy=Always';
      const answer = await t.get(pods(namespace), { query: { fieldSelector } });
      answer.judge(namesOf(answer.is(200)), ['placed']);
      const unplaced = await t.get(pods(namespace), { query: { fieldSelector: 'spec.nodeName=' } });
      unplaced.judge(namesOf(unplaced.is(200)), ['waiting']);
    },

    'fields: secrets are selected by type': async (t) => {
      const path = secrets(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' }, type: 'example.com/ours' })).is(201);
      (await t.post(path, { metadata: { name: 'b' } })).is(201);
      const answer = await t.get(path, { query: { fieldSelector: 'type=example.com/ours' } });
      answer.judge(namesOf(answer.is(200)), ['a']);
    },

    'fields: namespaces are selected by status.phase': async (t) => {
      const name = await t.namespace();
      const query = { fieldSelector: `status.phase=Active,metadata.name=${name}` };
      (await t.get(namespaces, { query })).is(200, { items: [{ metadata: { name } }] });
    },

    'fields: custom resources are selected by their selectableFields': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      for (const [name, color] of Object.entries({ a: 'red', b: 'blue', c: undefined })) {
        (await t.post(widget.in(namespace), widget.object(name, { spec: { color } }))).is(201);
      }
      const red = await t.get(widget.in(namespace), { query: { fieldSelector: 'spec.color=red' } });
      red.judge(namesOf(red.is(200)), ['a']);
      const none = await t.get(widget.in(namespace), { query: { fieldSelector: 'spec.color=' } });
      none.judge(namesOf(none.is(200)), ['c']);
    },

    'fields: a field that custom resources do not offer is a bad request': async (t) => {
      const widget = await widgets(t);
      const answer = await t.get(widget.in('default'), { query: { fieldSelector: 'spec.size=1' } });
      answer.refuses({ code: 400, reason: 'BadRequest', message: 'field label not supported: spec.size' });
    },

    'fields: a field that ConfigMaps do not offer is a bad request': badFields(
      configMaps('default'),
      'data.key=1',
      '"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ),
    // Kinds with conversion functions of their own word it differently.
    'fields: a field that pods do not offer is a bad request': badFields(
      pods('default'),
      'spec.volumes=1',
      'field label not supported: spec.volumes',
    ),
    'fields: a selector without an operator is a bad request': badFields(
      configMaps('default'),
      'name',
      "invalid selector: 'name'; can't understand 'name'",
    ),
  },
};
