/** Unknown and duplicate fields, and dry runs. */
import type { Area } from '../case.ts';
import { anySchema, defineSchema, widgets } from '../custom-resources.ts';
import { exactly, timestamp, uid } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments } from '../paths.ts';
import { alreadyExists, badRequest, invalid, modified, notFound } from '../refusals.ts';

const unsupportedValidation = {
  reason: 'FieldValueNotSupported',
  message: 'Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"',
  field: 'fieldValidation',
};
const unsupportedDryRun = {
  reason: 'FieldValueNotSupported',
  message: 'Unsupported value: ["Some"]: supported values: "All"',
  field: 'dryRun',
};
const strict = { query: { fieldValidation: 'Strict' } };
const dryRun = { query: { dryRun: 'All' } };

export const fieldValidation: Area = {
  name: 'field validation',
  proves: ['V1', 'V2'],
  cases: {
    'unknown and duplicate fields are warned of by default': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, '{"metadata":{"name":"a"},"extra":1,"data":{"key":"1","key":"2"}}');
      answer.is(201, { extra: undefined, data: { key: '2' } });
      answer.judge(
        answer.warnings,
        ['299 - "unknown field \\"extra\\""', '299 - "duplicate field \\"data.key\\""'],
        'warnings',
      );
    },

    'Warn means the same': async (t) => {
      const query = { fieldValidation: 'Warn' };
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { name: 'a', extra: 1 } }, { query });
      answer.is(201);
      answer.judge(answer.warnings, ['299 - "unknown field \\"metadata.extra\\""'], 'warnings');
    },

    'Ignore is silent': async (t) => {
      const query = { fieldValidation: 'Ignore' };
      const body = '{"metadata":{"name":"a"},"extra":1,"data":{"key":"1","key":"2"}}';
      const answer = await t.post(configMaps(await t.namespace()), body, { query });
      answer.is(201, { data: { key: '2' } });
      answer.judge(answer.warnings, [], 'warnings');
    },

    'Strict refuses unknown and duplicate fields': async (t) => {
      const path = configMaps(await t.namespace());
      const body = '{"metadata":{"name":"a"},"extra":1,"data":{"key":"1","key":"2"}}';
      (await t.post(path, body, strict)).refuses(
        badRequest(
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "extra", duplicate field "data.key"',
        ),
      );
      (await t.get(`${path}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'Strict names the whole path of each field, in the order of the body': async (t) => {
      const body = deployment('a', { replicass: 1 });
      const containers = [{ name: 'main', image: 'example.com/main:1', imag: 'x' }];
      const template = { ...body.spec.template, spec: { containers } };
      const path = deployments(await t.namespace());
      (await t.post(path, { ...body, spec: { ...body.spec, template } }, strict)).refuses(
        badRequest(
          'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.containers[0].imag", unknown field "spec.replicass"',
        ),
      );
    },

    'Strict accepts what has no such fields': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), configMap('a', { key: '1' }), strict);
      answer.is(201);
      answer.judge(answer.warnings, [], 'warnings');
    },

    'Strict holds for PUT': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, { ...configMap('a'), extra: 1 }, strict)).refuses(
        badRequest(
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "extra"',
        ),
      );
    },

    'Strict holds for patches, which become invalid': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      // The object is quoted as it was patched; a strategic patch quotes the patch, as Go prints a map.
      const refusal = (quoted: string) => ({
        code: 422,
        reason: 'Invalid',
        message: new RegExp(
          `^ "" is invalid: patch: Invalid value: "${quoted}": strict decoding error: unknown field "extra"$`,
        ),
        details: {
          causes: [
            {
              reason: 'FieldValueInvalid',
              message: new RegExp(`^Invalid value: "${quoted}": strict decoding error: unknown field "extra"$`),
              field: 'patch',
            },
          ],
        },
      });
      (await t.mergePatch(`${path}/a`, { extra: 1 }, strict)).refuses(refusal('{.*}'));
      (await t.jsonPatch(`${path}/a`, [{ op: 'add', path: '/extra', value: 1 }], strict)).refuses(refusal('{.*}'));
      (await t.strategicPatch(`${path}/a`, { extra: 1 }, strict)).refuses(refusal('map\\[extra:1\\]'));
    },

    'a patch with an unknown field is warned of by default': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const answer = await t.mergePatch(`${path}/a`, { extra: 1 });
      answer.is(200, { extra: undefined });
      answer.judge(answer.warnings, ['299 - "unknown field \\"extra\\""'], 'warnings');
    },

    'YAML: keys that a map has twice are named with the line of the second value, inner ones first': async (t) => {
      const path = configMaps(await t.namespace());
      const text = [
        'apiVersion: v1',
        'kind: ConfigMap',
        'metadata: {name: a}',
        'data:',
        '  a: x',
        '  a: y',
        'data:',
        '  b: z',
        '  1: "x"',
        '  1: "y"',
        '',
      ].join('\n');
      const problems = ['line 6: key "a"', 'line 10: key 1', 'line 8: key "data"'].map(
        (each) => `${each} already set in map`,
      );
      const list = `yaml: unmarshal errors:\n  ${problems.join('\n  ')}`;
      const warnings = problems.map((each) => `299 - "${each.replaceAll('"', '\\"')}"`);
      const yaml = { headers: { 'content-type': 'application/yaml' } };
      const created = await t.post(path, text, { ...yaml, query: { dryRun: 'All' } });
      created.is(201, { data: exactly({ b: 'z', 1: 'y' }) });
      created.judge(created.warnings, warnings, 'warnings');
      (await t.post(path, text, { ...yaml, ...strict })).refuses(
        badRequest(`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${list}`),
      );
      const applied = await t.apply(`${path}/a`, text, { manager: 'm', query: { dryRun: 'All' } });
      applied.is(201, { data: exactly({ b: 'z', 1: 'y' }) });
      applied.judge(applied.warnings, warnings, 'warnings');
      (await t.apply(`${path}/a`, text, { manager: 'm', ...strict })).refuses(
        badRequest(`error strict decoding YAML: error converting YAML to JSON: ${list}`),
      );
    },

    'custom resources: repeated keys of an applied YAML are found where anything is allowed': async (t) => {
      const custom = await defineSchema(t, anySchema);
      const path = `${custom.in(await t.namespace())}/a`;
      const text = `{"apiVersion":"${custom.apiVersion}","kind":"${custom.kind}","metadata":{"name":"a"},"x":{"y1":1,"y1":2}}`;
      const answer = await t.apply(path, text, { manager: 'm', query: { dryRun: 'All' } });
      answer.is(201, { x: { y1: 2 } });
      answer.judge(answer.warnings, ['299 - "line 1: key \\"y1\\" already set in map"'], 'warnings');
      (await t.apply(path, text, { manager: 'm', ...strict })).refuses(
        badRequest(
          'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key "y1" already set in map',
        ),
      );
    },

    'custom resources: unknown and duplicate fields are warned of': async (t) => {
      const widget = await widgets(t);
      const { apiVersion } = widget;
      const body = `{"apiVersion":"${apiVersion}","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2,"sizze":3}}`;
      const answer = await t.post(widget.in(await t.namespace()), body);
      answer.is(201, { spec: exactly({ size: 2 }) });
      answer.judge(
        answer.warnings,
        ['299 - "duplicate field \\"spec.size\\""', '299 - "unknown field \\"spec.sizze\\""'],
        'warnings',
      );
    },

    'custom resources: Strict refuses them, in the order of the alphabet': async (t) => {
      const widget = await widgets(t);
      const body = widget.object('a', { spec: { sizze: 3, parts: [{ name: 'x', nope: 1 }] }, extra: {} });
      (await t.post(widget.in(await t.namespace()), body, strict)).refuses(
        badRequest(
          'Widget in version "v1alpha1" cannot be handled as a Widget: strict decoding error: unknown field "extra", unknown field "spec.parts[0].nope", unknown field "spec.sizze"',
        ),
      );
    },

    'custom resources: unknown fields of metadata are warned of too': async (t) => {
      const widget = await widgets(t);
      const answer = await t.post(widget.in(await t.namespace()), widget.object('a', {}, { extra: 'x' }));
      answer.is(201, { metadata: { extra: undefined } });
      answer.judge(answer.warnings, ['299 - "unknown field \\"metadata.extra\\""'], 'warnings');
    },

    'custom resources: Strict holds for PUT and patches': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const created = (await t.post(path, widget.object('a'))).is(201);
      (await t.put(`${path}/a`, { ...created, spec: { sizze: 1 } }, strict)).refuses(
        badRequest(
          'Widget in version "v1alpha1" cannot be handled as a Widget: strict decoding error: unknown field "spec.sizze"',
        ),
      );
      const answer = await t.mergePatch(`${path}/a`, { spec: { sizze: 1 } }, strict);
      answer.is(422, {
        reason: 'Invalid',
        message: /^ "" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: unknown field "spec\.sizze"$/,
        details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] },
      });
    },

    'an unknown kind of validation is refused': async (t) => {
      const path = configMaps(await t.namespace());
      const query = { fieldValidation: 'Loose' };
      (await t.post(path, configMap('a'), { query })).refuses(
        invalid('CreateOptions.meta.k8s.io', '', unsupportedValidation),
      );
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, configMap('a'), { query })).refuses(
        invalid('UpdateOptions.meta.k8s.io', '', unsupportedValidation),
      );
      (await t.mergePatch(`${path}/a`, {}, { query })).refuses(
        invalid('PatchOptions.meta.k8s.io', '', unsupportedValidation),
      );
    },

    'a dry creation answers with the whole object and stores nothing': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, configMap('a', { key: '1' }), dryRun);
      answer.is(201, {
        kind: 'ConfigMap',
        metadata: { name: 'a', uid, creationTimestamp: timestamp, resourceVersion: undefined },
        data: { key: '1' },
      });
      (await t.get(`${path}/a`)).refuses(notFound('configmaps', 'a'));
    },

    'a dry creation with generateName has a name': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { generateName: 'a-' } }, dryRun);
      answer.is(201, { metadata: { name: /^a-.{5}$/ } });
    },

    'a dry creation of what exists already is refused': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.post(path, configMap('a'), dryRun)).refuses(alreadyExists('configmaps', 'a'));
    },

    'a dry creation is validated': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: {} }, dryRun);
      answer.is(422, { reason: 'Invalid' });
    },

    'a dry update or patch answers with the new state and stores nothing': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const { resourceVersion } = created.metadata;
      const changed = { metadata: { uid: created.metadata.uid, resourceVersion }, data: { key: '2' } };
      (await t.put(`${path}/a`, configMap('a', { key: '2' }), dryRun)).is(200, changed);
      (await t.mergePatch(`${path}/a`, { data: { key: '2' } }, dryRun)).is(200, changed);
      (await t.get(`${path}/a`)).is(200, exactly(created));
    },

    'a dry update conflicts like any other': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const stale = configMap('a', { key: '2' }, { resourceVersion: '5' });
      (await t.put(`${path}/a`, stale, dryRun)).refuses(modified('configmaps', 'a'));
    },

    'a dry apply answers with the new state and stores nothing': async (t) => {
      const path = `${configMaps(await t.namespace())}/a`;
      (await t.apply(path, configMap('a', { key: '1' }), { manager: 'one', ...dryRun })).is(201, {
        metadata: { managedFields: [{ manager: 'one', operation: 'Apply' }] },
        data: { key: '1' },
      });
      (await t.get(path)).refuses(notFound('configmaps', 'a'));
    },

    'a dry deletion answers like a real one and removes nothing': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a'))).is(201);
      (await t.delete(`${path}/a`, dryRun)).is(200, { status: 'Success', details: { name: 'a', uid: metadata.uid } });
      (await t.get(`${path}/a`)).is(200);
    },

    'a dry run by another name is refused': async (t) => {
      const path = configMaps(await t.namespace());
      const query = { dryRun: 'Some' };
      (await t.post(path, configMap('a'), { query })).refuses(
        invalid('CreateOptions.meta.k8s.io', '', unsupportedDryRun),
      );
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, configMap('a'), { query })).refuses(
        invalid('UpdateOptions.meta.k8s.io', '', unsupportedDryRun),
      );
      (await t.mergePatch(`${path}/a`, {}, { query })).refuses(
        invalid('PatchOptions.meta.k8s.io', '', unsupportedDryRun),
      );
      (await t.delete(`${path}/a`, { query })).refuses(invalid('DeleteOptions.meta.k8s.io', '', unsupportedDryRun));
    },
  },
};
