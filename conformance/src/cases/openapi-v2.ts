/** OpenAPI v2: one document for all kinds, in JSON and in the protobuf form that Go's clients ask for. */
import type { Area } from '../case.ts';
import { defineSchema } from '../custom-resources.ts';
import { including } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';

const path = '/openapi/v2';
const asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** What the answer is called: a type with an @ in it is none. */
const answered = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const objectMeta = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export const openapiV2: Area = {
  name: 'openapi v2',
  proves: ['X5'],
  cases: {
    'the document has all built-in kinds and their operations': async (t) => {
      const answer = await t.get(path);
      answer.is(200, {
        swagger: '2.0',
        info: { title: 'Kubernetes' },
        definitions: {
          'io.k8s.api.apps.v1.Deployment': {
            'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
            properties: { metadata: { $ref: objectMeta } },
          },
        },
        paths: {
          '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
            patch: { parameters: including({ name: 'fieldValidation', in: 'query' }) },
          },
        },
      });
      answer.has('content-type', 'application/json');
      answer.has('cache-control', 'no-cache, private');
    },

    'the document is given in protobuf under another name than was asked for': async (t) => {
      for (const accept of [asked, answered, `${asked}, application/json;q=0.1`]) {
        const answer = await t.get(path, { headers: { accept } });
        answer.is(200);
        answer.has('content-type', answered);
        answer.judge(answer.text.startsWith('\n\u00032.0\u0012'), true, 'a message that begins with the version');
      }
    },

    'both forms have one tag, and who has it need not read again': async (t) => {
      await t.eventually(async () => {
        const { headers } = await t.get(path);
        const answer = await t.get(path, { headers: { accept: asked, 'if-none-match': String(headers.etag) } });
        answer.is(304);
        answer.has('etag', headers.etag);
      });
    },

    'anything else is not acceptable, without a word': async (t) => {
      for (const accept of ['application/yaml', 'text/plain', 'application/vnd.kubernetes.protobuf']) {
        const answer = await t.get(path, { headers: { accept } });
        answer.is(406);
        answer.judge(answer.text, '', 'the body');
      }
    },

    'a custom resource is in it with the part of its schema that version 2 has, and leaves it': async (t) => {
      const string = { type: 'string' };
      const custom = await defineSchema(
        t,
        {
          type: 'object',
          description: 'A thing.',
          properties: {
            spec: {
              type: 'object',
              required: ['a', 'name'],
              properties: {
                a: { type: 'string', nullable: true },
                name: { ...string, default: 'x', pattern: '.*' },
                open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { b: string } },
                either: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                items: { type: 'array', items: { ...string, enum: ['a', 'b'] }, 'x-kubernetes-list-type': 'set' },
                map: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
                one: { type: 'object', oneOf: [{ required: ['b'] }], properties: { b: string } },
                inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { b: string } },
              },
            },
          },
        },
        { subresources: { status: {} } },
      );
      const reversed = custom.group.split('.').toReversed().join('.');
      const name = `${reversed}.${custom.version}.${custom.kind}`;
      const one = `${custom.in('{namespace}')}/{name}`;
      await t.eventually(async () => {
        const answer = await t.get(path);
        const { definitions, paths } = answer.is(200) as unknown as Record<string, Record<string, unknown>>;
        answer.judge(
          definitions?.[name],
          {
            description: 'A thing.',
            type: 'object',
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { $ref: objectMeta, allOf: undefined },
              spec: {
                type: 'object',
                required: ['name'],
                properties: {
                  a: { type: undefined, nullable: undefined },
                  name: { type: 'string', pattern: '.*', default: undefined },
                  open: { type: undefined, properties: undefined, 'x-kubernetes-preserve-unknown-fields': true },
                  either: { 'x-kubernetes-int-or-string': true, anyOf: undefined },
                  items: { type: 'array', items: { enum: ['a', 'b'] }, 'x-kubernetes-list-type': 'set' },
                  map: { additionalProperties: { type: 'integer', minimum: 1 } },
                  one: { oneOf: undefined, properties: { b: string } },
                  inner: { required: ['kind', 'apiVersion'], properties: { metadata: { $ref: objectMeta } } },
                },
              },
            },
            'x-kubernetes-group-version-kind': [{ group: custom.group, kind: custom.kind, version: custom.version }],
          },
          'the definition',
        );
        answer.judge(
          definitions?.[`${name}List`],
          { required: ['items'], properties: { items: { items: { $ref: `#/definitions/${name}` } } } },
          'the list',
        );
        answer.judge(
          paths,
          {
            [one]: {
              get: {
                consumes: ['application/json', 'application/yaml'],
                produces: ['application/json', 'application/yaml'],
              },
              patch: {
                consumes: [
                  'application/json-patch+json',
                  'application/merge-patch+json',
                  'application/apply-patch+yaml',
                ],
                parameters: including({ name: 'fieldValidation', in: 'query' }),
                'x-kubernetes-group-version-kind': { group: custom.group, kind: custom.kind, version: custom.version },
              },
            },
            [`${one}/status`]: { put: {} },
            [custom.in('{namespace}')]: { post: {} },
            [custom.everywhere]: { get: {} },
          },
          'paths',
        );
      });
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await t.eventually(async () => {
        (await t.get(path)).is(200, { definitions: { [name]: undefined }, paths: { [one]: undefined } });
      });
    },

    // kubectl would take every field that is not among them for unknown.
    'a custom resource that takes any field has no properties in it': async (t) => {
      const custom = await defineSchema(t, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
      const reversed = custom.group.split('.').toReversed().join('.');
      await t.eventually(async () => {
        (await t.get(path)).is(200, {
          definitions: { [`${reversed}.v1.${custom.kind}`]: { type: 'object', properties: undefined } },
        });
      });
    },
  },
};
