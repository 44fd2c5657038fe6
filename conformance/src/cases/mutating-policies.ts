/** MutatingAdmissionPolicies: what they make of objects, and how they fail. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import type { Answer } from '../exchange.ts';
import { exactly } from '../match.ts';
import { configMap, deployment, pod } from '../objects.ts';
import { configMaps, deployments, pods, serviceAccounts } from '../paths.ts';
import { applying, dryRun, mutating, type Policed, patching } from '../policies.ts';
import type { Trial } from '../trial.ts';

const label = (name: string, expression: string): string =>
  `Object{metadata: Object.metadata{labels: {'${name}': ${expression}}}}`;

const add = (path: string, value: string): string => `[JSONPatch{op: 'add', path: '${path}', value: ${value}}]`;

/** Waits until the server follows the policy and refuses the object for all of these reasons. */
async function refuses(
  policy: Policed,
  reasons: readonly string[],
  more: { reason?: string; by?: string } = {},
): Promise<void> {
  const { t, name } = policy;
  const { reason = 'Invalid', by = `'${name}' with binding '${name}'` } = more;
  const causes = reasons.map((each) => ({ message: `policy ${by} denied request: ${each}` }));
  await t.eventually(async () =>
    (await policy.create()).refuses({
      code: 403,
      reason,
      message: causes[0]?.message,
      details: { name, kind: 'configmaps', causes },
    }),
  );
}

const onPods = { rule: { resources: ['pods'] } };

async function podOf(t: Trial, policy: Policed, spec = {}): Promise<Answer> {
  await t.post(serviceAccounts(policy.namespace), { metadata: { name: 'default' } });
  return await t.post(pods(policy.namespace), pod(policy.name, spec), dryRun);
}

export const mutatingPolicies: Area = {
  name: 'mutating policies',
  proves: ['A3'],
  cases: {
    'an apply configuration is merged': async (t) => {
      const policy = await mutating(t, applying(label('made', "object.data.a + ' by ' + request.operation")));
      const sent = { labels: { own: 'yes' } };
      await t.eventually(async () =>
        (await policy.create({ a: 'x' }, sent)).is(422, { details: { causes: [{ field: 'metadata.labels' }] } }),
      );
      const fine = await mutating(t, applying(label('made', 'object.data.a')));
      await t.eventually(async () =>
        (await fine.create({ a: 'x' }, sent)).is(201, { metadata: { labels: exactly({ own: 'yes', made: 'x' }) } }),
      );
    },

    'a scale is patched as a Scale, and takes no apply configuration': async (t) => {
      const rule = { apiGroups: ['apps'], resources: ['deployments/scale'] };
      const scaling = async (policy: Policed) => {
        const path = deployments(policy.namespace);
        (await t.post(path, deployment(policy.name))).is(201);
        return () => t.mergePatch(`${path}/${policy.name}/scale`, { spec: { replicas: 2 } }, dryRun);
      };
      const scale = await scaling(await mutating(t, patching(add('/spec/replicas', '7')), { rule }));
      await t.eventually(async () => (await scale()).is(200, { kind: 'Scale', spec: { replicas: 7 } }));
      const configured = await mutating(t, applying('Object{spec: Object.spec{replicas: 7}}'), { rule });
      const refused = await scaling(configured);
      const { name } = configured;
      const why =
        'error applying patch: failed to convert patch object to typed object: no corresponding type for autoscaling/v1, Kind=Scale';
      await t.eventually(async () =>
        (await refused()).is(403, {
          reason: 'Invalid',
          message: `policy '${name}' with binding '${name}' denied request: ${why}`,
        }),
      );
    },

    'items of a list are merged by their keys, and get their defaults': async (t) => {
      const container =
        "Object.spec.containers{name: 'main', env: [Object.spec.containers.env{name: 'A', value: 'b'}]}";
      const sidecar = "Object.spec.containers{name: 'sidecar', image: 'example.com/sidecar:1'}";
      const policy = await mutating(
        t,
        applying(`Object{spec: Object.spec{containers: [${container}, ${sidecar}]}}`),
        onPods,
      );
      const env = [{ name: 'B', value: 'c' }];
      const containers = [{ name: 'main', image: 'example.com/main:1', env }];
      await t.eventually(async () =>
        (await podOf(t, policy, { containers })).is(201, {
          spec: {
            containers: exactly([
              {
                name: 'main',
                image: 'example.com/main:1',
                env: [
                  { name: 'B', value: 'c' },
                  { name: 'A', value: 'b' },
                ],
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'IfNotPresent',
              },
              {
                name: 'sidecar',
                image: 'example.com/sidecar:1',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'IfNotPresent',
              },
            ]),
          },
        }),
      );
    },

    'a JSON patch is applied, and what it takes away gets its default': async (t) => {
      const expression = `[
        JSONPatch{op: 'test', path: '/spec/restartPolicy', value: 'Never'},
        JSONPatch{op: 'remove', path: '/spec/restartPolicy'},
        JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}},
        JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/c~d'), value: 'e'},
        JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'x', image: 'y'}},
        JSONPatch{op: 'copy', from: '/metadata/labels/a', path: '/metadata/labels/copy'},
        JSONPatch{op: 'move', from: '/metadata/labels/a', path: '/metadata/labels/moved'},
        JSONPatch{op: 'replace', path: '/spec/terminationGracePeriodSeconds', value: 10 + 5}
      ]`;
      const policy = await mutating(t, patching(expression.replace('c~d', 'c')), onPods);
      await t.eventually(async () =>
        (await podOf(t, policy, { restartPolicy: 'Never' })).is(201, {
          metadata: { labels: exactly({ 'example.com/c': 'e', copy: 'b', moved: 'b' }) },
          spec: {
            restartPolicy: 'Always',
            terminationGracePeriodSeconds: 15,
            containers: [{ name: 'main' }, { name: 'x', image: 'y', imagePullPolicy: 'Always' }],
          },
        }),
      );
      // A test that fails leaves the whole patch out.
      (await podOf(t, policy, { restartPolicy: 'OnFailure' })).is(201, {
        metadata: { labels: undefined },
        spec: { restartPolicy: 'OnFailure', terminationGracePeriodSeconds: 30 },
      });
    },

    'each mutation sees what those before it did, and computes variables anew': async (t) => {
      const policy = await mutating(t, {
        variables: [{ name: 'labels', expression: 'object.metadata.?labels.orValue({}).map(k, k).size()' }],
        mutations: [
          ...(applying(label('first', 'string(variables.labels)')).mutations as object[]),
          ...(patching(add('/metadata/labels/second', 'string(variables.labels)')).mutations as object[]),
          ...(applying(label('third', 'string(variables.labels)')).mutations as object[]),
        ],
      });
      await t.eventually(async () =>
        (await policy.create()).is(201, { metadata: { labels: exactly({ first: '0', second: '1', third: '2' }) } }),
      );
    },

    'updates and patches are changed too, and deletions are not asked about': async (t) => {
      const policy = await mutating(
        t,
        applying(label('by', "request.operation + '-' + (oldObject == null ? 'null' : oldObject.data.a)")),
      );
      const path = configMaps(policy.namespace);
      const own = `${path}/${policy.name}`;
      await t.eventually(async () => (await policy.create()).is(201, { metadata: { labels: { by: 'CREATE-null' } } }));
      (await t.post(path, configMap(policy.name, { a: '1' }))).is(201, { metadata: { labels: { by: 'CREATE-null' } } });
      (await t.put(own, configMap(policy.name, { a: '2' }))).is(200, { metadata: { labels: { by: 'UPDATE-1' } } });
      (await t.mergePatch(own, { data: { a: '3' } })).is(200, { metadata: { labels: { by: 'UPDATE-2' } } });
      (await t.apply(own, configMap(policy.name, { a: '4' }), { manager: 'm', force: true })).is(200, {
        metadata: { labels: { by: 'UPDATE-3' } },
      });
      (await t.delete(own)).is(200);
    },

    'what a policy sets has no owner': async (t) => {
      const policy = await mutating(t, applying(label('made', "'x'")));
      await t.eventually(async () => (await policy.create()).is(201, { metadata: { labels: { made: 'x' } } }));
      const made = (
        await t.apply(`${configMaps(policy.namespace)}/${policy.name}`, configMap(policy.name, { a: 'b' }), {
          manager: 'm',
          query: { dryRun: 'All' },
        })
      ).is(201);
      const [entry, ...others] = made.metadata.managedFields ?? [];
      t.last?.judge([entry?.fieldsV1, others], [exactly({ 'f:data': { 'f:a': {} } }), []]);
    },

    'expressions that cannot be evaluated refuse, all of them': async (t) => {
      const policy = await mutating(
        t,
        applying(
          label('a', 'string(object.data.missing)'),
          'Object{data: Object.wrong{a: Object.data.other{}}}',
          'Object{specification: 1}',
          "Object{data: {'a': 1}}",
          'Object{metadata: Object.metadata{finalizers: [1]}}',
        ),
      );
      const type = (found: string, expected: string) =>
        `unexpected type name "${found}", expected "${expected}", which matches field name path from root Object type`;
      const typed = 'error applying patch: failed to convert patch object to typed object: ';
      await refuses(policy, [
        `expression '${label('a', 'string(object.data.missing)')}' resulted in error: no such key: missing`,
        `type mismatch: ${type('Object.wrong', 'Object.data')}\n${type('Object.data.other', 'Object.data.a')}`,
        `${typed}.specification: field not declared in schema`,
        `${typed}.data.a: expected string, got &value.valueUnstructured{Value:1}`,
        `${typed}.metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}`,
      ]);
    },

    'patches that do not apply refuse': async (t) => {
      const policy = await mutating(
        t,
        patching(
          "[JSONPatch{op: 'replace', path: '/spec/x', value: 1}]",
          "[JSONPatch{op: 'remove', path: '/data/none'}]",
          "[JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}]",
          "[JSONPatch{op: 'frob', path: '/data/a'}]",
          "[JSONPatch{op: 'move', from: '/none/a', path: '/data/b'}]",
          "[JSONPatch{op: 'add', path: '/data', value: Object.data{a: Object.wrong{}}}]",
          "[JSONPatch{op: 'add', path: '/data/b', value: string(object.data.missing)}]",
        ),
      );
      await refuses(policy, [
        'JSON Patch: replace operation does not apply: doc is missing path: /spec/x: missing value',
        "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
        'JSON Patch: add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
        'JSON Patch: Unexpected kind: frob',
        'JSON Patch: move operation does not apply: doc is missing from path: /none/a: missing value',
        'type mismatch: unexpected type name "Object.wrong", expected "Object.data.a", which matches field name path from root Object type',
        "expression '[JSONPatch{op: 'add', path: '/data/b', value: string(object.data.missing)}]' resulted in error: no such key: missing",
      ]);
    },

    'what is atomic cannot be merged': async (t) => {
      const args = "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'main', args: ['x']}]}}";
      const policy = await mutating(t, applying(args, "Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}"), onPods);
      const why = (path: string) =>
        `policy '${policy.name}' with binding '${policy.name}' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${path}`;
      await t.eventually(async () =>
        (await podOf(t, policy)).refuses({
          code: 403,
          reason: 'Invalid',
          message: why('.spec.containers[0].args'),
          details: {
            name: policy.name,
            kind: 'pods',
            causes: [{ message: why('.spec.containers[0].args') }, { message: why('.spec.nodeSelector') }],
          },
        }),
      );
    },

    'a patch to something that is no object of the kind is a failure of the server': async (t) => {
      const unknown = await mutating(t, { failurePolicy: 'Ignore', ...patching(add('/other', '1')) });
      const wrong = await mutating(t, patching(add('/data', '1')));
      const fails = (message: string) => ({
        code: 500,
        reason: 'InternalError',
        message: `Internal error occurred: ${message}`,
        details: { causes: [{ message }] },
      });
      const strict = 'strict decoding error: unknown field "other"';
      await t.eventually(async () => (await unknown.create()).refuses(fails(strict)));
      const type = 'json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string';
      await t.eventually(async () => (await wrong.create()).refuses(fails(type)));
    },

    'what a policy makes is validated': async (t) => {
      const policy = await mutating(t, applying("Object{spec: Object.spec{restartPolicy: 'Sometimes'}}"), onPods);
      await t.eventually(async () =>
        (await podOf(t, policy)).is(422, { details: { causes: [{ field: 'spec.restartPolicy' }] } }),
      );
    },

    'failures can be ignored, and conditions leave objects alone': async (t) => {
      const policy = await mutating(t, {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'wanted', expression: "object.data.a != 'leave'" }],
        ...applying(label('a', 'string(object.data.missing)'), label('b', "'c'")),
      });
      await t.eventually(async () => (await policy.create()).is(201, { metadata: { labels: exactly({ b: 'c' }) } }));
      (await policy.create({ a: 'leave' })).is(201, { metadata: { labels: undefined } });
    },

    'a broken condition refuses': async (t) => {
      const expression = 'object.data.missing == "x"';
      const policy = await mutating(t, {
        matchConditions: [{ name: 'm', expression }],
        ...applying(label('a', "'b'")),
      });
      await refuses(policy, [`expression '${expression}' resulted in error: no such key: missing`]);
    },

    'parameters are found, or missed': async (t) => {
      const kind = await widgets(t);
      const paramKind = { apiVersion: kind.apiVersion, kind: kind.kind };
      const paramRef = { name: 'values', parameterNotFoundAction: 'Deny' };
      const spec = { paramKind, ...applying(label('size', 'string(params.spec.size)')) };
      const policy = await mutating(t, spec, { binding: { paramRef } });
      await refuses(
        policy,
        ['failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'],
        { reason: 'Forbidden' },
      );
      (await t.post(kind.in(policy.namespace), kind.object('values', { spec: { size: 2 } }))).is(201);
      await t.eventually(async () => (await policy.create()).is(201, { metadata: { labels: { size: '2' } } }));
    },

    'parameters of an unknown kind are a mistake of the policy': async (t) => {
      const paramKind = { apiVersion: 'none.example.com/v1', kind: 'None' };
      const policy = await mutating(t, { paramKind, ...applying(label('a', "'b'")) });
      const why =
        "failed to configure policy: failed to find resource referenced by paramKind: 'none.example.com/v1, Kind=None'";
      await refuses(policy, [why], { reason: 'Forbidden', by: `"${policy.name}"` });
    },

    'a policy is asked once more if it wants to be, and something has changed': async (t) => {
      const count = (name: string) =>
        applying(label(name, `string(int(object.metadata.?labels.?${name}.orValue('0')) + 1)`));
      const once = await mutating(t, count('once'));
      await t.eventually(async () => (await once.create()).is(201, { metadata: { labels: { once: '1' } } }));
      const twice = await mutating(t, { reinvocationPolicy: 'IfNeeded', ...count('twice') });
      await t.eventually(async () => (await twice.create()).is(201, { metadata: { labels: { twice: '2' } } }));
    },

    'custom kinds are changed like others': async (t) => {
      const kind = await widgets(t);
      const rule = { apiGroups: [kind.group], apiVersions: [kind.version], resources: [kind.plural] };
      const policy = await mutating(t, applying('Object{spec: Object.spec{size: object.spec.size + 1}}'), { rule });
      const object = kind.object(policy.name, { spec: { size: 2 } });
      await t.eventually(async () =>
        (await t.post(kind.in(policy.namespace), object, dryRun)).is(201, { spec: { size: 3 } }),
      );
    },

    'plugins look at the object again': async (t) => {
      const policy = await mutating(t, applying('Object{spec: Object.spec{priority: 7}}'), onPods);
      await t.eventually(async () =>
        (await podOf(t, policy)).refuses({
          code: 403,
          reason: 'Forbidden',
          message: `pods "${policy.name}" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name`,
          details: { name: policy.name, kind: 'pods' },
        }),
      );
    },
  },
};
