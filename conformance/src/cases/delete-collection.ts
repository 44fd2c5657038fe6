/** Deletion of collections, beyond what the area of deletion proves: options, pages, and where there are none. */
import type { Area } from '../case.ts';
import { configMap } from '../objects.ts';
import { configMaps, namespaces } from '../paths.ts';
import { badRequest, conflict, invalid, methodNotAllowed } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/** The path of a collection with `a`, `b` and `c` in it. */
async function three(t: Trial): Promise<string> {
  const path = configMaps(await t.namespace());
  for (const name of ['a', 'b', 'c']) {
    (await t.post(path, configMap(name, {}, { labels: { mine: 'yes' } }))).is(201);
  }
  return path;
}

const mine = { labelSelector: 'mine=yes' };

export const deleteCollection: Area = {
  name: 'delete collection',
  proves: ['D5'],
  cases: {
    'selects by field': async (t) => {
      const path = await three(t);
      (await t.delete(path, { query: { fieldSelector: 'metadata.name=b' } })).is(200, {
        items: [{ metadata: { name: 'b' } }],
      });
      (await t.get(path, { query: mine })).is(200, {
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }],
      });
      (await t.delete(path, { query: { fieldSelector: 'spec.odd=b' } })).refuses(
        badRequest('"spec.odd" is not a known field selector: only "metadata.name", "metadata.namespace"'),
      );
    },

    'that selects nothing is an empty list': async (t) => {
      const path = await three(t);
      (await t.delete(path, { query: { labelSelector: 'mine=no' } })).is(200, { kind: 'ConfigMapList', items: [] });
    },

    'takes a page if it is told to': async (t) => {
      const path = await three(t);
      (await t.delete(path, { query: { ...mine, limit: 2 } })).is(200, {
        metadata: { continue: /./ },
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
      });
      (await t.get(path, { query: mine })).is(200, { items: [{ metadata: { name: 'c' } }] });
    },

    'holds each object to the preconditions': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a', {}, { labels: { mine: 'yes' } }))).is(201);
      (await t.delete(path, { query: mine, body: { preconditions: { uid: 'another' } } })).refuses(
        conflict(
          'ConfigMap',
          'a',
          `the UID in the precondition (another) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
        ),
      );
      (await t.get(`${path}/a`)).is(200);
    },

    'with options that cannot be removes nothing': async (t) => {
      const path = await three(t);
      (await t.delete(path, { query: mine, body: { propagationPolicy: 'Sideways' } })).refuses(
        invalid('DeleteOptions.meta.k8s.io', '', {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
          field: 'propagationPolicy',
        }),
      );
      (await t.get(`${path}/a`)).is(200);
    },

    'shows tables, too': async (t) => {
      const path = await three(t);
      const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
      (await t.delete(path, { query: mine, headers })).is(200, {
        kind: 'Table',
        rows: [{ object: { metadata: { name: 'a' } } }, {}, {}],
      });
    },

    'is in one namespace, and never of namespaces': async (t) => {
      (await t.delete('/api/v1/configmaps')).refuses(methodNotAllowed);
      (await t.delete(namespaces)).refuses(methodNotAllowed);
    },
  },
};
