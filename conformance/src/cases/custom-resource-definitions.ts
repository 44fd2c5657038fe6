/** CustomResourceDefinitions: from creation to the disappearance of their objects, and what they may not be. */
import type { Area, Proof } from '../case.ts';
import { anySchema, CustomKind, type Definition, define, definition } from '../custom-resources.ts';
import { exactly, including, timestamp } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';
import { badRequest, type Cause, invalid, notFound } from '../refusals.ts';

const condition = (type: string, status: string, reason: string, message: unknown) =>
  exactly({ type, status, reason, message, lastTransitionTime: timestamp });

/** A definition is refused for these causes. */
function refused(crd: () => unknown, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const body = crd() as Definition;
    (await t.post(customResourceDefinitions, body)).refuses(
      invalid('CustomResourceDefinition.apiextensions.k8s.io', body.metadata.name, ...causes),
    );
  };
}

const withSchema = (openAPIV3Schema: unknown) => () => definition({ schema: { openAPIV3Schema } });
const withProperty = (property: unknown) => withSchema({ type: 'object', properties: { a: property } });
/** The server looks at a definition with one version as if its schema were that of the whole. */
const schemaPath = 'spec.validation.openAPIV3Schema';

const alternatives = { type: 'object', properties: { spec: { type: 'object' } }, anyOf: [{ required: ['spec'] }] };

/** The second has a status subresource. */
const twoVersions = (first: unknown, second: unknown) => [
  { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: first } },
  { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: second }, subresources: { status: {} } },
];

export const definitions: Area = {
  name: 'custom resource definitions',
  proves: ['K1', 'K2'],
  cases: {
    'one is completed with names, a list kind and a conversion': async (t) => {
      const crd = definition();
      (await t.post(customResourceDefinitions, crd)).is(201, {
        kind: 'CustomResourceDefinition',
        metadata: { generation: 1 },
        spec: exactly({
          ...crd.spec,
          names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
          conversion: { strategy: 'None' },
        }),
        status: { storedVersions: ['v1'] },
      });
    },

    'its names are accepted and it is established': async (t) => {
      const crd = definition();
      (await t.post(customResourceDefinitions, crd)).is(201);
      await t.eventually(async () => {
        (await t.get(`${customResourceDefinitions}/${crd.metadata.name}`)).is(200, {
          status: {
            conditions: including(
              condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'),
              condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'),
            ),
            acceptedNames: exactly({ plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }),
            storedVersions: ['v1'],
          },
        });
      });
    },

    'a kind that another definition of the group has is not accepted': async (t) => {
      const custom = await define(t, definition());
      const { group } = custom;
      const names = { plural: 'doodads', singular: 'doodad', kind: 'Gadget', listKind: 'DoodadList' };
      const second = definition({}, { group, names });
      const body = { ...second, metadata: { name: `doodads.${group}` } };
      (await t.post(customResourceDefinitions, body)).is(201);
      await t.eventually(async () => {
        (await t.get(`${customResourceDefinitions}/doodads.${group}`)).is(200, {
          status: {
            conditions: including(
              condition('NamesAccepted', 'False', 'KindConflict', '"Gadget" is already in use'),
              condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
            ),
          },
        });
      });
    },

    'before there is one, its objects are nowhere': async (t) => {
      const answer = await t.get(`/apis/${t.name('g')}.example.com/v1/gadgets`);
      answer.is(404);
      answer.judge(answer.text, '404 page not found\n');
    },

    'its deletion deletes its objects': async (t) => {
      const crd = definition();
      const custom = await define(t, crd);
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a'))).is(201);
      const watch = await t.watch(path);
      await watch.next({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await watch.next({ type: 'DELETED', object: { metadata: { name: 'a' } } });
      await t.eventually(async () => {
        (await t.get(`${customResourceDefinitions}/${custom.crd}`)).refuses(
          notFound('customresourcedefinitions.apiextensions.k8s.io', custom.crd),
        );
      });
      await t.eventually(async () => (await t.get(path)).is(404));
      await define(t, crd);
      (await t.get(path)).is(200, { items: [] });
    },

    'its deletion waits for the finalizers of its objects': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200, {
        kind: 'CustomResourceDefinition',
        metadata: { deletionTimestamp: timestamp, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
      });
      await t.eventually(async () => {
        (await t.get(`${path}/a`)).is(200, { metadata: { deletionTimestamp: timestamp } });
      });
      (await t.get(`${customResourceDefinitions}/${custom.crd}`)).is(200, {
        status: { conditions: including({ type: 'Terminating', status: 'True' }) },
      });
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: null } })).is(200);
      await t.eventually(async () => (await t.get(`${customResourceDefinitions}/${custom.crd}`)).is(404));
    },

    'its deletion deletes its objects, also when no version is served any more': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a'))).is(201);
      const served = [{ op: 'replace', path: '/spec/versions/0/served', value: false }];
      (await t.jsonPatch(`${customResourceDefinitions}/${custom.crd}`, served)).is(200);
      await t.eventually(async () => (await t.get(path)).is(404));
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await t.eventually(async () => (await t.get(`${customResourceDefinitions}/${custom.crd}`)).is(404));
    },

    'it can be changed while it is being deleted': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      (await t.mergePatch(`${customResourceDefinitions}/${custom.crd}`, { metadata: { labels: { a: 'b' } } })).is(200, {
        metadata: { deletionTimestamp: timestamp, labels: { a: 'b' } },
      });
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: null } })).is(200);
      await t.eventually(async () => (await t.get(`${customResourceDefinitions}/${custom.crd}`)).is(404));
    },

    'its own finalizers need no domain': async (t) => {
      const custom = await define(t, definition());
      const path = `${customResourceDefinitions}/${custom.crd}`;
      (await t.mergePatch(path, { metadata: { finalizers: ['kaput'] } })).is(200, {
        metadata: { finalizers: ['kaput'] },
      });
      (await t.mergePatch(path, { metadata: { finalizers: null } })).is(200);
    },

    'finalizers of its objects should have a domain, and who adds another is told': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      const warning = (name: string, more = '') =>
        `299 - "metadata.finalizers: \\"${name}\\": prefer a domain-qualified finalizer name${more} to avoid accidental conflicts with other finalizer writers"`;
      const created = await t.post(path, custom.object('a', {}, { finalizers: ['kaput', 'orphan', 'example.com/a'] }));
      created.is(201);
      created.judge(created.warnings, [warning('kaput')], 'warnings');
      const changed = await t.mergePatch(`${path}/a`, { metadata: { finalizers: ['kaput', 'kaput.example.com'] } });
      changed.is(200);
      changed.judge(changed.warnings, [warning('kaput.example.com', ' including a path (/)')], 'warnings');
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: null } })).is(200);
    },

    'no object can be created while it is being deleted': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await t.eventually(async () => {
        const late = t.name('late');
        (await t.post(path, custom.object(late))).refuses({
          code: 403,
          reason: 'Forbidden',
          message: `${custom.crd} "${late}" is forbidden: create not allowed while custom resource definition is terminating`,
          details: { name: late, group: custom.group, kind: 'gadgets' },
        });
      });
      (await t.mergePatch(`${path}/a`, { metadata: { finalizers: null } })).is(200);
    },

    'several versions show the same objects': async (t) => {
      const schema = { openAPIV3Schema: anySchema };
      const versions = [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
        { name: 'v3', served: false, storage: false, schema },
      ];
      const custom = await define(t, definition({}, { versions }));
      const namespace = await t.namespace();
      (await t.post(custom.in(namespace), custom.object('a', { spec: { size: 1 } }))).is(201);
      (await t.get(`${custom.in(namespace, 'v2')}/a`)).is(200, {
        apiVersion: `${custom.group}/v2`,
        spec: { size: 1 },
      });
      (await t.get(custom.in(namespace, 'v2'))).is(200, {
        apiVersion: `${custom.group}/v2`,
        items: [{ apiVersion: `${custom.group}/v2` }],
      });
      const unserved = await t.get(custom.in(namespace, 'v3'));
      unserved.is(404);
      unserved.judge(unserved.text, '404 page not found\n');
    },

    'a cluster-scoped kind has no namespaces': async (t) => {
      const custom = await define(t, definition({}, { scope: 'Cluster' }));
      (await t.post(custom.everywhere, custom.object('a'))).is(201, { metadata: { namespace: undefined } });
      (await t.get(`${custom.everywhere}/a`)).is(200);
      const namespaced = await t.get(custom.in('default'));
      namespaced.is(404);
      namespaced.judge(namespaced.text, '404 page not found\n');
    },

    'a version can be added': async (t) => {
      const custom = await define(t, definition());
      const value = { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: anySchema } };
      const operations = [{ op: 'add', path: '/spec/versions/-', value }];
      (await t.jsonPatch(`${customResourceDefinitions}/${custom.crd}`, operations)).is(200, {
        metadata: { generation: 2 },
      });
      const second = new CustomKind(custom.group, custom.plural, custom.kind, 'v2');
      await t.eventually(async () => (await t.get(second.everywhere)).is(200));
    },

    'scope and group cannot change': async (t) => {
      const custom = await define(t, definition());
      const path = `${customResourceDefinitions}/${custom.crd}`;
      const message = 'Invalid value: "Cluster": field is immutable';
      (await t.mergePatch(path, { spec: { scope: 'Cluster' } })).refuses(
        invalid('CustomResourceDefinition.apiextensions.k8s.io', custom.crd, {
          reason: 'FieldValueInvalid',
          message,
          field: 'spec.scope',
        }),
      );
    },

    'a second one of the same name already exists': async (t) => {
      const crd = definition();
      (await t.post(customResourceDefinitions, crd)).is(201);
      (await t.post(customResourceDefinitions, crd)).is(409, {
        reason: 'AlreadyExists',
        message: `customresourcedefinitions.apiextensions.k8s.io "${crd.metadata.name}" already exists`,
      });
    },

    'its name must be plural and group': refused(() => ({ ...definition(), metadata: { name: 'wrong' } }), {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "wrong": must be spec.names.plural+"."+spec.group',
      field: 'metadata.name',
    }),

    'its scope must be known': refused(() => definition({}, { scope: 'Galaxy' }), {
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
      field: 'spec.scope',
    }),

    'it must have a schema': refused(
      () => definition({}, { versions: [{ name: 'v1', served: true, storage: true }] }),
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.versions[0].schema.openAPIV3Schema' },
    ),

    'exactly one version must be stored': async (t) => {
      const crd = definition({ storage: false });
      const answer = await t.post(customResourceDefinitions, crd);
      answer.is(422, {
        reason: 'Invalid',
        details: {
          causes: including(
            { field: 'spec.versions', message: /: must have exactly one version marked as storage version$/ },
            { field: 'status.storedVersions', message: 'Invalid value: null: must have at least one stored version' },
          ),
        },
      });
    },

    'a group of Kubernetes needs an approval': refused(
      () => {
        const crd = definition({}, { group: 'conformance.k8s.io' });
        return { ...crd, metadata: { name: 'gadgets.conformance.k8s.io' } };
      },
      {
        reason: 'FieldValueRequired',
        message:
          'Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
        field: 'metadata.annotations[api-approved.kubernetes.io]',
      },
    ),

    'schema: every field needs a type': refused(withProperty({}), {
      reason: 'FieldValueRequired',
      message: 'Required value: must not be empty for specified object fields',
      field: `${schemaPath}.properties[a].type`,
    }),

    'schema: the type must be known': refused(withProperty({ type: 'text' }), {
      reason: 'FieldValueNotSupported',
      message:
        'Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      field: `${schemaPath}.properties[a].type`,
    }),

    'schema: a list needs items': refused(withProperty({ type: 'array' }), {
      reason: 'FieldValueRequired',
      message: 'Required value: must be specified',
      field: `${schemaPath}.properties[a].items`,
    }),

    'schema: items that are no schema are none': refused(withProperty({ type: 'array', items: 5 }), {
      reason: 'FieldValueRequired',
      message: 'Required value: must be specified',
      field: `${schemaPath}.properties[a].items`,
    }),

    'schema: inside of items and additionalProperties what is empty or unknown is dropped, without a word': async (
      t,
    ) => {
      const sent = { type: 'string', nullable: false, 'x-kubernetes-embedded-resource': false, gold: 1 };
      const schema = (inner: unknown) => ({
        type: 'object',
        properties: {
          a: { type: 'array', items: inner },
          b: { type: 'object', additionalProperties: inner },
          c: { type: 'array', items: { type: 'array', items: inner } },
        },
      });
      const query = { dryRun: 'All', fieldValidation: 'Strict' };
      (await t.post(customResourceDefinitions, withSchema(schema(sent))(), { query })).is(201, {
        spec: { versions: [{ schema: { openAPIV3Schema: exactly(schema({ type: 'string' })) } }] },
      });
    },

    'schema: inside of items and additionalProperties types are checked': async (t) => {
      const refusal = (why: string) =>
        badRequest(`CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ${why}`);
      const of = (path: string) =>
        `json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.${path}.type of type string`;
      const post = (property: unknown) => t.post(customResourceDefinitions, withProperty(property)());
      (await post({ type: 'array', items: { type: 5 } })).refuses(refusal(of('items')));
      (await post({ type: 'array', items: { properties: { b: { type: 5 } } } })).refuses(
        refusal(of('items.properties')),
      );
      (await post({ type: 'object', additionalProperties: { type: 5 } })).refuses(refusal(of('additionalProperties')));
      (await post({ type: 'object', additionalProperties: 5 })).refuses(refusal('boolean or JSON schema expected'));
    },

    'schema: properties and additionalProperties exclude each other': refused(
      withProperty({
        type: 'object',
        properties: { b: { type: 'string' } },
        additionalProperties: { type: 'string' },
      }),
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: additionalProperties and properties are mutual exclusive',
        field: `${schemaPath}.properties[a].additionalProperties`,
      },
    ),

    'schema: a pattern must be a regular expression': refused(withProperty({ type: 'string', pattern: '(' }), {
      reason: 'FieldValueInvalid',
      message:
        'Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      field: `${schemaPath}.properties[a].pattern`,
    }),

    'schema: a default must satisfy the schema': refused(withProperty({ type: 'integer', minimum: 5, default: 1 }), {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 1:  in body should be greater than or equal to 5',
      field: `${schemaPath}.properties[a].default`,
    }),

    'schema: a list of type map needs keys': refused(
      withProperty({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        items: { type: 'object', properties: { b: { type: 'string' } } },
      }),
      {
        reason: 'FieldValueRequired',
        message: 'Required value: must not be empty if x-kubernetes-list-type is map',
        field: `${schemaPath}.properties[a].x-kubernetes-list-map-keys`,
      },
    ),

    'schema: metadata may only be narrowed by name': refused(
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
      {
        reason: 'FieldValueForbidden',
        message:
          'Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        field: `${schemaPath}.properties[metadata]`,
      },
    ),

    'schema: a rule must compile': async (t) => {
      const rule = 'self.size > 1';
      const crd = definition({
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [{ rule }] } },
      });
      (await t.post(customResourceDefinitions, crd)).is(422, {
        details: {
          causes: [
            {
              reason: 'FieldValueInvalid',
              field: `${schemaPath}.x-kubernetes-validations[0].rule`,
              // The rule is quoted as the struct that the server keeps; what follows are the words of its compiler.
              message:
                /^Invalid value: \{"Rule":"self\.size \\u003e 1",.*\}: compilation failed: ERROR: <input>:1:5: undefined field 'size'/,
            },
          ],
        },
      });
    },

    'schema: a rule must give a bool': async (t) => {
      const crd = definition({
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.metadata.name' }] },
        },
      });
      (await t.post(customResourceDefinitions, crd)).is(422, {
        details: {
          causes: [
            {
              field: `${schemaPath}.x-kubernetes-validations[0].rule`,
              message: /: cel expression must evaluate to a bool$/,
            },
          ],
        },
      });
    },

    'schema: with a status subresource, the root has no alternatives': async (t) => {
      const crd = definition({ schema: { openAPIV3Schema: alternatives }, subresources: { status: {} } });
      const message =
        /^Invalid value: \{"ID":"".*"AnyOf":\[\{.*\}\].*\}: only \[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/;
      (await t.post(customResourceDefinitions, crd)).is(422, {
        reason: 'Invalid',
        details: { causes: [exactly({ reason: 'FieldValueInvalid', message, field: schemaPath })] },
      });
    },
    'schema: without a status subresource, the root may have alternatives': async (t) => {
      (await t.post(customResourceDefinitions, definition({ schema: { openAPIV3Schema: alternatives } }))).is(201);
    },
    'schema: a status subresource of one version counts for all that share its schema': async (t) => {
      const crd = definition({}, { versions: twoVersions(alternatives, alternatives) });
      (await t.post(customResourceDefinitions, crd)).is(422, { details: { causes: [{ field: schemaPath }] } });
    },
    'schema: a status subresource counts for its own version where schemas differ': async (t) => {
      const described = { ...alternatives, description: 'Another one.' };
      const crd = definition({}, { versions: twoVersions(described, alternatives) });
      (await t.post(customResourceDefinitions, crd)).is(422, {
        details: { causes: [{ field: 'spec.versions[1].schema.openAPIV3Schema' }] },
      });
    },
    'schema: a format that is not known is warned of': async (t) => {
      const openAPIV3Schema = {
        type: 'object',
        properties: {
          a: { type: 'string', format: 'phone' },
          b: { type: 'array', items: { type: 'string', format: 'phone' } },
          c: { type: 'integer', format: 'int16' },
          d: { type: 'string', format: 'email' },
        },
      };
      const crd = definition({ schema: { openAPIV3Schema } });
      const answer = await t.post(customResourceDefinitions, crd);
      answer.is(201);
      answer.judge(
        answer.warnings.toSorted(),
        ['299 - "unrecognized format \\"int16\\""', '299 - "unrecognized format \\"phone\\""'],
        'warnings',
      );
    },
    'schema: a format that was there before is not warned of again': async (t) => {
      const schema = (b: unknown) => ({
        type: 'object',
        properties: { a: { type: 'string', format: 'phone' }, b },
      });
      const crd = definition({ schema: { openAPIV3Schema: schema({ type: 'string' }) } });
      (await t.post(customResourceDefinitions, crd)).is(201);
      const change = (value: unknown) =>
        t.jsonPatch(`${customResourceDefinitions}/${crd.metadata.name}`, [
          { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value },
        ]);
      const same = await change(schema({ type: 'string', maxLength: 3 }));
      same.is(200);
      same.judge(same.warnings, [], 'warnings');
      const more = await change(schema({ type: 'string', format: 'fax' }));
      more.is(200);
      more.judge(more.warnings, ['299 - "unrecognized format \\"fax\\""'], 'warnings');
    },

    'a printer column needs a known type': refused(
      () => definition({ additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.spec.a' }] }),
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "text": must be one of boolean,date,integer,number,string',
        field: 'spec.additionalPrinterColumns[0].type',
      },
    ),

    'a selectable field must be in the schema': refused(
      () => definition({ selectableFields: [{ jsonPath: '.spec.a' }] }),
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: ".spec.a": is an invalid path: does not refer to a valid field',
        field: 'spec.selectableFields[0].jsonPath',
      },
    ),

    'Strict refuses unknown fields in a schema': async (t) => {
      const crd = definition({ schema: { openAPIV3Schema: { ...anySchema, doodad: 1 } } });
      (await t.post(customResourceDefinitions, crd, { query: { fieldValidation: 'Strict' } })).refuses(
        badRequest(
          'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: strict decoding error: unknown field "spec.versions[0].schema.openAPIV3Schema.doodad"',
        ),
      );
    },
  },
};
