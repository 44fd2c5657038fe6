/** What the schema of a custom resource does to its objects: pruning, defaults, validation, rules. */
import type { Area, Proof } from '../case.ts';
import { type CustomKind, define, defineSchema, definition, widgets } from '../custom-resources.ts';
import { exactly, including } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';
import { badRequest, type Cause, invalid, unchecked } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/** A Widget with this spec is refused for these causes. */
function refused(spec: unknown, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const widget = await widgets(t);
    (await t.post(widget.in(await t.namespace()), widget.object('a', { spec }))).refuses(
      invalid(`Widget.${widget.group}`, 'a', ...causes),
    );
  };
}

/** A Widget with this spec is kept like that. */
function kept(spec: unknown, expected: unknown): Proof {
  return async (t) => {
    const widget = await widgets(t);
    const path = widget.in(await t.namespace());
    (await t.post(path, widget.object('a', { spec }))).is(201, { spec: expected });
    (await t.get(`${path}/a`)).is(200, { spec: expected });
  };
}

const value = (field: string, message: string) => ({ reason: 'FieldValueInvalid', message, field });
const wrongType = (field: string, message: string) => ({ reason: 'FieldValueTypeInvalid', message, field });

interface Rule {
  readonly rule: string;
  readonly [field: string]: unknown;
}

/** A kind whose spec has a size and this rule about it, and the path of its objects. */
async function ruled(t: Trial, rule: Rule, properties: Readonly<Record<string, unknown>> = {}) {
  const spec = {
    type: 'object',
    properties: { size: { type: 'integer' }, ...properties },
    'x-kubernetes-validations': [rule],
  };
  const custom = await defineSchema(t, { type: 'object', properties: { spec } });
  return { custom, path: custom.in(await t.namespace()), kind: `Gadget.${custom.group}` };
}

/** Replaces the schema of a definition, and resolves when the server goes by the new one. */
async function changeSchema(
  t: Trial,
  custom: CustomKind,
  schema: unknown,
  isNew: () => Promise<unknown>,
): Promise<void> {
  const operations = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schema }];
  (await t.jsonPatch(`${customResourceDefinitions}/${custom.crd}`, operations)).is(200);
  await t.eventually(isNew);
  // The server opens its storage anew, and until that is done lists are refused with 429.
  await t.eventually(async () => (await t.get(custom.everywhere)).is(200));
}

export const schema: Area = {
  name: 'schema',
  proves: ['K2'],
  cases: {
    'unknown fields are pruned, at every depth': kept(
      { size: 2, extra: 1, parts: [{ name: 'x', extra: 2 }] },
      exactly({ size: 2, parts: [{ name: 'x', count: 1 }] }),
    ),
    'fields that are preserved are not pruned': kept(
      { free: { any: { thing: [1, 'two', null] } } },
      exactly({ size: 1, free: { any: { thing: [1, 'two', null] } } }),
    ),
    'maps keep all their keys': kept({ env: { A: '1', 'b.c/d': '2' } }, { env: exactly({ A: '1', 'b.c/d': '2' }) }),
    'integers and strings may share a field': kept({ weight: '5%' }, { weight: '5%' }),

    'fields beside spec and status are pruned': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { data: { key: '1' } }))).is(201, { data: undefined });
    },

    'defaults are filled in, also of what is missing altogether': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a'))).is(201, { spec: exactly({ size: 1 }) });
      (await t.get(`${path}/a`)).is(200, { spec: exactly({ size: 1 }) });
    },

    'a given value stands against the default': kept({ size: 3 }, exactly({ size: 3 })),
    'null is replaced by the default': kept({ size: null }, exactly({ size: 1 })),
    'null without a default is dropped': kept({ color: null }, exactly({ size: 1 })),
    'null is kept where it is allowed': kept({ note: null }, exactly({ size: 1, note: null })),

    'a default that is removed comes back': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { size: 3 } }))).is(201);
      (await t.mergePatch(`${path}/a`, { spec: { size: null } })).is(200, { spec: { size: 1 } });
    },

    'a default that the schema gets later is filled in on reading': async (t) => {
      const properties = (size: unknown) => ({
        type: 'object',
        properties: { spec: { type: 'object', properties: { size } } },
      });
      const custom = await defineSchema(t, properties({ type: 'integer' }));
      const path = custom.in(await t.namespace());
      const created = (await t.post(path, custom.object('a', { spec: {} }))).is(201, { spec: exactly({}) });
      await changeSchema(t, custom, properties({ type: 'integer', default: 7 }), async () => {
        (await t.get(`${path}/a`)).is(200, { spec: { size: 7 } });
      });
      (await t.get(path)).is(200, { items: [{ spec: { size: 7 } }] });
      (await t.get(`${path}/a`)).is(200, { metadata: { resourceVersion: created.metadata.resourceVersion } });
      const watch = await t.watch(path);
      await watch.next({ type: 'ADDED', object: { spec: { size: 7 } } });
    },

    'the minimum holds': refused(
      { size: 0 },
      value('spec.size', 'Invalid value: 0: spec.size in body should be greater than or equal to 1'),
    ),
    'the maximum holds': refused(
      { size: 6 },
      value('spec.size', 'Invalid value: 6: spec.size in body should be less than or equal to 5'),
    ),
    'the type holds': refused(
      { limit: 'three' },
      wrongType('spec.limit', 'Invalid value: "string": spec.limit in body must be of type integer: "string"'),
      unchecked,
    ),
    'the type of an element holds': refused(
      { steps: ['one', 2] },
      wrongType('spec.steps[1]', 'Invalid value: "integer": spec.steps[1] in body must be of type string: "integer"'),
      unchecked,
    ),
    'the type of a map value holds': refused(
      { env: { A: 1 } },
      wrongType('spec.env.A', 'Invalid value: "integer": spec.env.A in body must be of type string: "integer"'),
      unchecked,
    ),
    'the type of an integer or string holds': refused(
      { weight: true },
      wrongType(
        'spec.weight',
        'Invalid value: "boolean": spec.weight in body must be of type integer,string: "boolean"',
      ),
      unchecked,
    ),
    'the enumeration holds': refused(
      { color: 'mauve' },
      {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "mauve": supported values: "red", "green", "blue"',
        field: 'spec.color',
      },
      unchecked,
    ),
    'the pattern holds': refused(
      { title: 'ABC' },
      value('spec.title', `Invalid value: "ABC": spec.title in body should match '^[a-z]*$'`),
    ),
    'the length of a string holds': refused(
      { title: 'a'.repeat(13) },
      { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 12 bytes', field: 'spec.title' },
      unchecked,
    ),
    'the length of a list holds': refused(
      { steps: ['1', '2', '3', '4'] },
      { reason: 'FieldValueTooMany', message: 'Too many: 4: must have at most 3 items', field: 'spec.steps' },
      unchecked,
    ),
    'what is required must be there': refused(
      { parts: [{ count: 2 }] },
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.parts[0].name' },
      unchecked,
    ),
    'a set has no value twice': refused(
      { tags: ['a', 'b', 'a'] },
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"', field: 'spec.tags[2]' },
    ),
    'a list of type map has no key twice': refused(
      { parts: [{ name: 'x' }, { name: 'y' }, { name: 'x' }] },
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: {"name":"x"}', field: 'spec.parts[2]' },
    ),
    'a number outside of int32 is refused': refused(
      { limit: 3_000_000_000 },
      value('<nil>', 'Invalid value: "": Checked value must be of type integer with format int32 in spec.limit'),
    ),
    'a map of the wrong type is refused': refused(
      { env: 'large' },
      wrongType('spec.env', 'Invalid value: "string": spec.env in body must be of type object: "string"'),
      unchecked,
    ),

    'all that is wrong is said at once, in any order': async (t) => {
      const widget = await widgets(t);
      const spec = { size: 9, title: 'ABC', parts: [{ name: 'x', count: 'many' }] };
      const answer = await t.post(widget.in(await t.namespace()), widget.object('a', { spec }));
      answer.is(422, {
        message: /^Widget\.\S+ "a" is invalid: \[.*, .*, .*\]$/,
        details: {
          name: 'a',
          group: widget.group,
          kind: 'Widget',
          causes: including(
            { field: 'spec.size', reason: 'FieldValueInvalid' },
            { field: 'spec.title', reason: 'FieldValueInvalid' },
            { field: 'spec.parts[0].count', reason: 'FieldValueTypeInvalid' },
            { field: '<nil>', reason: 'FieldValueInvalid' },
          ),
        },
      });
    },

    'PUT, patch and apply are validated': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a'))).is(201);
      const refusal = invalid(
        `Widget.${widget.group}`,
        'a',
        value('spec.size', 'Invalid value: 9: spec.size in body should be less than or equal to 5'),
      );
      (await t.put(`${path}/a`, { ...created, spec: { size: 9 } })).refuses(refusal);
      (await t.mergePatch(`${path}/a`, { spec: { size: 9 } })).refuses(refusal);
      (await t.jsonPatch(`${path}/a`, [{ op: 'replace', path: '/spec/size', value: 9 }])).refuses(refusal);
      const applied = widget.object('a', { spec: { size: 9 } });
      (await t.apply(`${path}/a`, applied, { manager: 'one', force: true })).refuses(refusal);
    },

    'what was valid before and is not touched may stay, though the schema has changed': async (t) => {
      const of = (pattern: string) => ({
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { old: { type: 'string', pattern }, other: { type: 'integer' } } },
        },
      });
      const custom = await defineSchema(t, of('^.*$'));
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', { spec: { old: 'ABC' } }))).is(201);
      await changeSchema(t, custom, of('^[a-z]*$'), async () => {
        (await t.post(path, custom.object(t.name('try'), { spec: { old: 'ABC' } }))).is(422);
      });
      (await t.mergePatch(`${path}/a`, { spec: { other: 1 } })).is(200, { spec: { old: 'ABC', other: 1 } });
      (await t.mergePatch(`${path}/a`, { spec: { old: 'DEF' } })).refuses(
        invalid(
          `Gadget.${custom.group}`,
          'a',
          value('spec.old', `Invalid value: "DEF": spec.old in body should match '^[a-z]*$'`),
        ),
      );
    },

    'status: an update of the status checks the status alone': async (t) => {
      const part = { type: 'object', properties: { size: { type: 'integer' } } };
      const crd = definition({
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } },
        subresources: { status: {} },
      });
      const custom = await define(t, crd);
      const path = custom.in(await t.namespace());
      const kind = `Gadget.${custom.group}`;
      (await t.post(path, custom.object('a', { spec: { size: 5 } }))).is(201);
      const narrow = { ...part, properties: { size: { type: 'integer', maximum: 3 } } };
      await changeSchema(t, custom, { type: 'object', properties: { spec: narrow, status: narrow } }, async () =>
        (await t.post(path, custom.object('b', { spec: { size: 5 } }))).is(422),
      );
      const tooMuch = (field: string) =>
        value(field, `Invalid value: 4: ${field.replace('status.', '')} in body should be less than or equal to 3`);
      (await t.mergePatch(`${path}/a`, { metadata: { labels: { a: 'b' } } })).is(200);
      (await t.mergePatch(`${path}/a/status`, { status: { size: 4 } })).refuses(
        invalid(kind, 'a', tooMuch('status.size')),
      );
      (await t.mergePatch(`${path}/a/status`, { status: { size: 2 } })).is(200, {
        spec: { size: 5 },
        status: { size: 2 },
      });
    },
    'status: what is wrong with its form keeps rules from being tried': async (t) => {
      const status = {
        type: 'object',
        properties: { size: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'false' }],
      };
      const crd = definition({
        schema: { openAPIV3Schema: { type: 'object', properties: { status } } },
        subresources: { status: {} },
      });
      const custom = await define(t, crd);
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a'))).is(201);
      (await t.mergePatch(`${path}/a/status`, { status: { size: 'x' } })).refuses(
        invalid(
          `Gadget.${custom.group}`,
          'a',
          wrongType('status.size', 'Invalid value: "string": size in body must be of type integer: "string"'),
          unchecked,
        ),
      );
    },

    'embedded: metadata of a wrong form cannot be decoded': async (t) => {
      const inner = {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      };
      const custom = await defineSchema(t, { type: 'object', properties: { inner } });
      const object = custom.object('a', { inner: { apiVersion: 'v1', kind: 'Thing', metadata: { labels: { a: 1 } } } });
      (await t.post(custom.in(await t.namespace()), object)).refuses(
        badRequest(
          'Gadget in version "v1" cannot be handled as a Gadget: inner.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
        ),
      );
    },

    'rules: about the name of the object': async (t) => {
      const widget = await widgets(t);
      const name = 'n'.repeat(41);
      (await t.post(widget.in(await t.namespace()), widget.object(name))).refuses(
        invalid(
          `Widget.${widget.group}`,
          name,
          value('<nil>', 'Invalid value: the name must have at most 40 characters'),
        ),
      );
    },

    'rules: one that fails without a message is quoted': async (t) => {
      const { custom, path, kind } = await ruled(t, { rule: 'self.size % 2 == 0' });
      (await t.post(path, custom.object('a', { spec: { size: 2 } }))).is(201);
      (await t.post(path, custom.object('b', { spec: { size: 3 } }))).refuses(
        invalid(kind, 'b', value('spec', 'Invalid value: failed rule: self.size % 2 == 0')),
      );
    },

    'rules: a message says what is wrong': async (t) => {
      const { custom, path, kind } = await ruled(t, { rule: 'self.size < 5', message: 'too large' });
      (await t.post(path, custom.object('a', { spec: { size: 5 } }))).refuses(
        invalid(kind, 'a', value('spec', 'Invalid value: too large')),
      );
    },

    'rules: a message can be computed': async (t) => {
      const messageExpression = '"title is " + self.title';
      const rule = { rule: 'self.title != "x"', messageExpression, message: 'unused' };
      const { custom, path, kind } = await ruled(t, rule, { title: { type: 'string', maxLength: 10 } });
      (await t.post(path, custom.object('a', { spec: { title: 'x' } }))).refuses(
        invalid(kind, 'a', value('spec', 'Invalid value: title is x')),
      );
    },

    'rules: reason and field can be given': async (t) => {
      const rule = { rule: 'self.size < 5', message: 'not now', reason: 'FieldValueForbidden', fieldPath: '.size' };
      const { custom, path, kind } = await ruled(t, rule);
      (await t.post(path, custom.object('a', { spec: { size: 6 } }))).refuses(
        invalid(kind, 'a', { reason: 'FieldValueForbidden', message: 'Forbidden: not now', field: 'spec.size' }),
      );
    },

    'rules: has() and optional fields': async (t) => {
      const rule = { rule: '!has(self.title) || self.title.startsWith("1")' };
      const { custom, path } = await ruled(t, rule, { title: { type: 'string', maxLength: 10 } });
      (await t.post(path, custom.object('a', { spec: { size: 1 } }))).is(201);
      (await t.post(path, custom.object('b', { spec: { size: 1, title: '1st' } }))).is(201);
      (await t.post(path, custom.object('c', { spec: { size: 1, title: '2nd' } }))).is(422);
    },

    'rules: lists, maps and macros': async (t) => {
      const rule = { rule: 'self.list.all(x, x in self.map && self.map[x] > 0) && self.list.exists_one(x, x == "a")' };
      const { custom, path } = await ruled(t, rule, {
        list: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
        map: { type: 'object', maxProperties: 10, additionalProperties: { type: 'integer' } },
      });
      (await t.post(path, custom.object('a', { spec: { list: ['a', 'b'], map: { a: 1, b: 2 } } }))).is(201);
      (await t.post(path, custom.object('b', { spec: { list: ['a', 'c'], map: { a: 1 } } }))).is(422);
      (await t.post(path, custom.object('c', { spec: { list: ['a', 'a'], map: { a: 1 } } }))).is(422);
    },

    'rules: one about the change is not tried on creation': async (t) => {
      const rule = { rule: 'self.size >= oldSelf.size', message: 'cannot shrink' };
      const { custom, path, kind } = await ruled(t, rule);
      (await t.post(path, custom.object('a', { spec: { size: 3 } }))).is(201);
      (await t.mergePatch(`${path}/a`, { spec: { size: 4 } })).is(200);
      (await t.mergePatch(`${path}/a`, { spec: { size: 2 } })).refuses(
        invalid(kind, 'a', value('spec', 'Invalid value: cannot shrink')),
      );
    },

    'rules: immutable fields': async (t) => {
      const size = {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'field is immutable' }],
      };
      const { custom, path, kind } = await ruled(t, { rule: 'true' }, { size });
      (await t.post(path, custom.object('a', { spec: { size: 3 } }))).is(201);
      (await t.mergePatch(`${path}/a`, { spec: { size: 4 } })).refuses(
        invalid(kind, 'a', value('spec.size', 'Invalid value: 4: field is immutable')),
      );
    },

    'rules: one that breaks is an error of its own': async (t) => {
      const { custom, path, kind } = await ruled(t, { rule: '10 / self.size > 1' });
      (await t.post(path, custom.object('a', { spec: { size: 0 } }))).refuses(
        invalid(
          kind,
          'a',
          value('spec', 'Invalid value: "object": division by zero evaluating rule: 10 / self.size > 1'),
        ),
      );
    },

    'rules: one that could cost too much is refused with the definition': async (t) => {
      const spec = {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'string' } } },
        'x-kubernetes-validations': [{ rule: 'self.list.all(x, self.list.all(y, x == y || x < y || x > y))' }],
      };
      const crd = definition({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
      (await t.post(customResourceDefinitions, crd)).is(422, {
        reason: 'Invalid',
        details: {
          causes: including({
            reason: 'FieldValueForbidden',
            field: 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
            message: /^Forbidden: estimated rule cost exceeds budget by factor of /,
          }),
        },
      });
    },

    'rules: one that fails on what has not changed is warned of': async (t) => {
      const { custom, path } = await ruled(t, { rule: 'true' }, { other: { type: 'string' } });
      (await t.post(path, custom.object('a', { spec: { size: 5 } }))).is(201);
      const spec = (rule: string) => ({
        type: 'object',
        properties: { size: { type: 'integer', 'x-kubernetes-validations': [{ rule }] }, other: { type: 'string' } },
      });
      await changeSchema(t, custom, { type: 'object', properties: { spec: spec('self < 5') } }, async () =>
        (await t.post(path, custom.object('b', { spec: { size: 5 } }))).is(422),
      );
      const answer = await t.mergePatch(`${path}/a`, { spec: { other: 'x' } });
      answer.is(200);
      answer.judge(answer.warnings, ['299 - "spec.size: Invalid value: 5: failed rule: self < 5"'], 'warnings');
    },
    'rules: an unchanged part is not tried again': async (t) => {
      const of = (rule: string) => ({
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', 'x-kubernetes-validations': [{ rule }] },
              other: { type: 'integer' },
            },
          },
        },
      });
      const custom = await defineSchema(t, of('self < 100'));
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a', { spec: { size: 50 } }))).is(201);
      await changeSchema(t, custom, of('self < 10'), async () => {
        (await t.post(path, custom.object(t.name('try'), { spec: { size: 50 } }))).is(422);
      });
      (await t.mergePatch(`${path}/a`, { spec: { other: 1 } })).is(200, { spec: { size: 50, other: 1 } });
      (await t.mergePatch(`${path}/a`, { spec: { size: 51 } })).is(422);
    },
  },
};
