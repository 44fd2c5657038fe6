/**
 * Names, label keys and metadata: how what is wrong with them is worded.
 *
 * Every limit counts bytes. Names of objects say "characters" all the same, keys and values of labels say "bytes".
 */
import type { Area, Proof } from '../case.ts';
import { defineSchema } from '../custom-resources.ts';
import { configMap } from '../objects.ts';
import { configMaps, namespaces } from '../paths.ts';
import { type Cause, invalid } from '../refusals.ts';

const wrong = (field: string, value: unknown, problem: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${problem}`,
  field,
});

/** A ConfigMap with this metadata is refused for these causes. */
function refused(metadata: Readonly<Record<string, unknown>>, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const answer = await t.post(configMaps(await t.namespace()), configMap('a', {}, metadata));
    answer.refuses(invalid('ConfigMap', 'a', ...causes));
  };
}

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const longDomain = `${'d'.repeat(250)}.com`;
const longName = 'n'.repeat(64);
/** 32 characters of two bytes each. */
const umlauts = 'ä'.repeat(32);

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'u' };

/** What a whole object inside of another one is refused for. */
function embedded(metadata: unknown, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const inner = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const custom = await defineSchema(t, { type: 'object', properties: { inner } });
    const object = custom.object('a', { inner: { apiVersion: 'v1', kind: 'Thing', metadata } });
    (await t.post(custom.in(await t.namespace()), object)).refuses(invalid(`Gadget.${custom.group}`, 'a', ...causes));
  };
}

export const names: Area = {
  name: 'names',
  proves: ['E1'],
  cases: {
    'the domain of a label key has bytes': refused(
      { labels: { [`${longDomain}/a`]: 'x' } },
      wrong('metadata.labels', `${longDomain}/a`, 'prefix part must be no more than 253 bytes'),
    ),
    'the name in a label key has bytes': refused(
      { labels: { [longName]: 'x' } },
      wrong('metadata.labels', longName, 'name part must be no more than 63 bytes'),
    ),
    'the value of a label has bytes': refused(
      { labels: { a: longName } },
      wrong('metadata.labels', longName, 'must be no more than 63 bytes'),
    ),
    'the value of a label is measured in bytes': refused(
      { labels: { a: umlauts } },
      wrong('metadata.labels', umlauts, 'must be no more than 63 bytes'),
      wrong('metadata.labels', umlauts, labelValueRule),
    ),
    'a label key has one slash at most': refused(
      { labels: { 'a/b/c': 'x' } },
      wrong(
        'metadata.labels',
        'a/b/c',
        `a valid label key ${qualifiedNameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ),
    ),
    'neither part of a label key may be empty': refused(
      { labels: { '/': 'x' } },
      wrong('metadata.labels', '/', 'prefix part must be non-empty'),
      wrong('metadata.labels', '/', 'name part must be non-empty'),
      wrong('metadata.labels', '/', `name part ${qualifiedNameRule}`),
    ),
    'the domain of an annotation has bytes': refused(
      { annotations: { [`${longDomain}/a`]: 'x' } },
      wrong('metadata.annotations', `${longDomain}/a`, 'prefix part must be no more than 253 bytes'),
    ),
    'the domain of a finalizer has bytes': refused(
      { finalizers: [`${longDomain}/a`] },
      wrong('metadata.finalizers', `${longDomain}/a`, 'prefix part must be no more than 253 bytes'),
    ),

    'the name of a namespace has characters': async (t) => {
      (await t.post(namespaces, { metadata: { name: longName } })).refuses(
        invalid(
          'Namespace',
          longName,
          wrong('metadata.name', longName, 'must be no more than 63 characters'),
          // The server labels a namespace with its name.
          wrong('metadata.labels', longName, 'must be no more than 63 bytes'),
        ),
      );
    },
    'the name of a namespace is measured in bytes': async (t) => {
      (await t.post(namespaces, { metadata: { name: umlauts } })).refuses(
        invalid(
          'Namespace',
          umlauts,
          wrong('metadata.name', umlauts, 'must be no more than 63 characters'),
          wrong('metadata.name', umlauts, labelRule),
          wrong('metadata.labels', umlauts, 'must be no more than 63 bytes'),
          wrong('metadata.labels', umlauts, labelValueRule),
        ),
      );
    },
    'the name of a namespace has no dots': async (t) => {
      (await t.post(namespaces, { metadata: { name: 'a.b' } })).refuses(
        invalid('Namespace', 'a.b', wrong('metadata.name', 'a.b', 'must not contain dots')),
      );
    },
    'the name of a service has characters': async (t) => {
      const service = { metadata: { name: longName }, spec: { ports: [{ port: 80 }] } };
      (await t.post(`/api/v1/namespaces/${await t.namespace()}/services`, service)).refuses(
        invalid('Service', longName, wrong('metadata.name', longName, 'must be no more than 63 characters')),
      );
    },
    'a key of a ConfigMap has characters': async (t) => {
      const key = 'k'.repeat(254);
      (await t.post(configMaps(await t.namespace()), configMap('a', { [key]: '' }))).refuses(
        invalid('ConfigMap', 'a', wrong(`data[${key}]`, key, 'must be no more than 253 characters')),
      );
    },

    'the version of an owner must be there': refused(
      { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] },
      wrong('metadata.ownerReferences.apiVersion', 'a/b/c', 'version must not be empty'),
    ),
    'an owner names all that makes an object': refused(
      { ownerReferences: [{ ...owner, apiVersion: 'apps/', kind: '', name: '', uid: '' }] },
      wrong('metadata.ownerReferences.apiVersion', 'apps/', 'version must not be empty'),
      wrong('metadata.ownerReferences.kind', '', 'must not be empty'),
      wrong('metadata.ownerReferences.name', '', 'must not be empty'),
      wrong('metadata.ownerReferences.uid', '', 'must not be empty'),
    ),
    'an Event is no owner': refused(
      { ownerReferences: [{ ...owner, kind: 'Event' }] },
      wrong(
        'metadata.ownerReferences',
        { ...owner, kind: 'Event' },
        '/v1, Kind=Event is disallowed from being an owner',
      ),
    ),
    'values are quoted as Go quotes them': refused(
      { labels: { a: 'b\u0007<&>' } },
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "b\\a<&>": ${labelValueRule}`,
        field: 'metadata.labels',
      },
    ),

    'an embedded object: the domain of a label key has bytes': embedded(
      { labels: { [`${longDomain}/a`]: 'x' } },
      wrong('inner.metadata.labels', `${longDomain}/a`, 'prefix part must be no more than 253 bytes'),
    ),
    'an embedded object: a namespace has characters': embedded(
      { namespace: longName },
      wrong('inner.metadata.namespace', longName, 'must be no more than 63 characters'),
    ),
    'an embedded object: a namespace has no dots': embedded(
      { namespace: 'a.b' },
      wrong('inner.metadata.namespace', 'a.b', 'must not contain dots'),
    ),
  },
};
