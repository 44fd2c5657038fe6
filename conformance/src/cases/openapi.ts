/** OpenAPI v3: the index, its documents, and the schemas of custom resources in them. */
import type { Area } from '../case.ts';
import { define, definition, widgets } from '../custom-resources.ts';
import type { Fields } from '../exchange.ts';
import { including } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';
import type { Trial } from '../trial.ts';

/** The address of a document as the index gives it, once it does. */
async function addressOf(t: Trial, document: string): Promise<string> {
  return await t.eventually(async () => {
    const answer = await t.get('/openapi/v3');
    const paths = answer.is(200).paths as Record<string, { serverRelativeURL: string }>;
    const address = paths[document]?.serverRelativeURL;
    if (address === undefined) throw answer.disagreement(`the index has no ${document}`);
    return address;
  });
}

export const openapi: Area = {
  name: 'openapi',
  proves: ['X2'],
  cases: {
    'the index gives every group version an address with a hash': async (t) => {
      const answer = await t.get('/openapi/v3');
      answer.is(200, {
        paths: {
          'api/v1': { serverRelativeURL: /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]+$/ },
          'apis/apps/v1': { serverRelativeURL: /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/ },
          'apis/apiextensions.k8s.io/v1': { serverRelativeURL: /\?hash=[0-9A-F]+$/ },
        },
      });
    },

    'a document at its address may be kept for ever': async (t) => {
      const address = await addressOf(t, 'apis/apps/v1');
      const answer = await t.get(address);
      answer.is(200, { openapi: '3.0.0', info: { title: 'Kubernetes' } });
      answer.has('content-type', 'application/json');
      answer.has('cache-control', 'public, immutable');
      answer.has('etag', `"${address.split('hash=')[1]}"`);
    },

    'a document without a hash is given as it is now': async (t) => {
      const answer = await t.get('/openapi/v3/apis/apps/v1');
      answer.is(200, { openapi: '3.0.0' });
      answer.has('cache-control', 'no-cache, private');
    },

    'a document with an old hash has moved': async (t) => {
      const address = await addressOf(t, 'apis/apps/v1');
      const answer = await t.get('/openapi/v3/apis/apps/v1', { query: { hash: 'OLD' } });
      answer.is(301);
      answer.has('location', address);
    },

    'an unknown document is not found': async (t) => {
      (await t.get('/openapi/v3/apis/doodads.example.com/v1')).is(404);
    },

    // kubectl decides by this whether the server validates fields.
    'a PATCH names the parameter fieldValidation': async (t) => {
      const answer = await t.get(await addressOf(t, 'apis/apps/v1'));
      answer.is(200, {
        paths: {
          '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
            patch: {
              'x-kubernetes-action': 'patch',
              'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
              parameters: including({ name: 'fieldValidation', in: 'query' }, { name: 'dryRun', in: 'query' }),
            },
          },
        },
      });
    },

    'a schema says its kind and how its lists merge': async (t) => {
      const answer = await t.get(await addressOf(t, 'apis/apps/v1'));
      answer.is(200, {
        components: {
          schemas: {
            'io.k8s.api.apps.v1.Deployment': {
              type: 'object',
              'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
            },
            'io.k8s.api.core.v1.PodSpec': {
              properties: {
                containers: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  'x-kubernetes-patch-merge-key': 'name',
                  'x-kubernetes-patch-strategy': 'merge',
                },
              },
            },
          },
        },
      });
    },

    'a custom resource has a document with its schema': async (t) => {
      const widget = await widgets(t);
      const answer = await t.get(await addressOf(t, `apis/${widget.apiVersion}`));
      const { components, paths } = answer.is(200, { openapi: '3.0.0' });
      const { schemas } = components as { schemas: Record<string, Fields> };
      const found = Object.entries(schemas).find(([, schema]) => {
        const kinds = schema['x-kubernetes-group-version-kind'] as Fields[] | undefined;
        return kinds?.some(({ kind }) => kind === 'Widget');
      });
      const reversed = widget.group.split('.').toReversed().join('.');
      answer.judge(found?.[0], `${reversed}.v1alpha1.Widget`, 'the name of the schema');
      answer.judge(
        found?.[1],
        {
          type: 'object',
          description: 'A thing for tests.',
          'x-kubernetes-group-version-kind': [{ group: widget.group, kind: 'Widget', version: 'v1alpha1' }],
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: {},
            spec: {
              type: 'object',
              properties: {
                size: {
                  type: 'integer',
                  format: 'int32',
                  minimum: 1,
                  maximum: 5,
                  default: 1,
                  description: 'How many.',
                },
                parts: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
              },
            },
          },
        },
        'the schema',
      );
      const path = `${widget.in('{namespace}')}/{name}`;
      answer.judge(
        paths,
        {
          [path]: {
            get: { 'x-kubernetes-action': 'get' },
            patch: { parameters: including({ name: 'fieldValidation', in: 'query' }) },
          },
          [`${path}/status`]: { put: {} },
          [`${path}/scale`]: { get: {} },
          [widget.everywhere]: { get: { 'x-kubernetes-action': 'list' } },
        },
        'paths',
      );
    },

    'a changed schema changes the address': async (t) => {
      const crd = definition({ schema: { openAPIV3Schema: { type: 'object', description: 'before' } } });
      const custom = await define(t, crd);
      const before = await addressOf(t, `apis/${custom.apiVersion}`);
      const value = { type: 'object', description: 'after' };
      const operations = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value }];
      (await t.jsonPatch(`${customResourceDefinitions}/${custom.crd}`, operations)).is(200);
      await t.eventually(async () => {
        const after = await addressOf(t, `apis/${custom.apiVersion}`);
        const answer = await t.get(after);
        answer.judge(after !== before, true, 'another address');
        answer.judge(answer.text.includes('"description":"after"'), true, 'the new schema');
      });
    },

    'the document of a custom resource disappears with its definition': async (t) => {
      const custom = await define(t, definition());
      await addressOf(t, `apis/${custom.apiVersion}`);
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await t.eventually(async () => {
        (await t.get('/openapi/v3')).is(200, { paths: { [`apis/${custom.apiVersion}`]: undefined } });
      });
    },
  },
};
