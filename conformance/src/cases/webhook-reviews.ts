/** What webhooks are sent, who is asked, in which order, and what becomes of what they say. */
import type { Area } from '../case.ts';
import { anySchema, define, defineSchema, definition } from '../custom-resources.ts';
import { exactly, timestamp, uid } from '../match.ts';
import { configMap, deployment, pod } from '../objects.ts';
import { configMaps, deployments, namespaces, pods, serviceAccounts } from '../paths.ts';
import {
  type Answering,
  allowed,
  denied,
  hook,
  hooks,
  patched,
  type Review,
  reviewed,
  rule,
  webhookConfigurations,
} from '../webhooks.ts';

const everything = rule('*/*', '*', { apiGroups: ['*'], apiVersions: ['*'] });
const core = (kind: string) => ({ group: '', version: 'v1', kind });
const resource = (plural: string) => ({ group: '', version: 'v1', resource: plural });
const options = (kind: string, more: object = {}) => ({ kind, apiVersion: 'meta.k8s.io/v1', ...more });

/** Adds a label, and remembers which there were. */
const labelling =
  (name: string, seen: string[]): Answering =>
  (review) => {
    const labels = (review.request.object.metadata.labels ?? {}) as Record<string, string>;
    seen.push([name, ...Object.keys(labels).sort()].join(' '));
    if (labels[name] !== undefined) return allowed(review);
    return patched([{ op: 'add', path: '/metadata/labels', value: { ...labels, [name]: 'true' } }])(review);
  };

const last = (reviews: readonly Review[]): Review['request'] | undefined => reviews.at(-1)?.request;

export const webhookReviews: Area = {
  name: 'webhook reviews',
  proves: ['A1'],
  cases: {
    'a creation is sent with the object, its user and the options': async (t) => {
      const namespace = await t.namespace();
      const made = await hook(t, 'mutating', namespace, { answer: allowed });
      const judge = await hook(t, 'validating', namespace, { answer: allowed });
      const query = { fieldManager: 'me', fieldValidation: 'Strict' };
      const created = await t.post(configMaps(namespace), configMap('a', { key: '1' }), { query });
      created.is(201);
      const sent = {
        uid,
        kind: core('ConfigMap'),
        resource: resource('configmaps'),
        requestKind: core('ConfigMap'),
        requestResource: resource('configmaps'),
        name: 'a',
        namespace,
        operation: 'CREATE',
        userInfo: {
          username: (name: unknown) => typeof name === 'string',
          groups: (each: unknown) => Array.isArray(each),
        },
        dryRun: false,
        options: exactly(options('CreateOptions', query)),
        oldObject: null,
        subResource: undefined,
        requestSubResource: undefined,
      };
      const managedFields = [{ manager: 'me', operation: 'Update' }];
      created.judge(made.reviews[0], {
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        request: {
          ...sent,
          object: {
            ...configMap('a', { key: '1' }),
            metadata: { name: 'a', namespace, uid: undefined, managedFields },
          },
        },
      });
      created.judge(judge.reviews[0]?.request, {
        ...sent,
        object: { metadata: { name: 'a', uid, creationTimestamp: timestamp, resourceVersion: undefined } },
      });
      created.judge(made.targets[0], /^\/hook-[0-9a-f]+\?timeout=10s$/);
    },
    'a name that is generated is not known before it is judged': async (t) => {
      const namespace = await t.namespace();
      const made = await hook(t, 'mutating', namespace, { answer: allowed });
      const judge = await hook(t, 'validating', namespace, { answer: allowed });
      const object = { metadata: { generateName: 'gen-' } };
      const answer = await t.post(configMaps(namespace), object, { query: { dryRun: 'All' } });
      answer.is(201);
      const dry = { dryRun: true, options: options('CreateOptions', { dryRun: ['All'] }) };
      answer.judge(last(made.reviews), { name: undefined, ...dry });
      answer.judge(last(judge.reviews), { name: /^gen-.{5}$/, ...dry });
    },
    'updates, patches and applies are told by what becomes of them': async (t) => {
      const namespace = await t.namespace();
      const path = configMaps(namespace);
      const made = await hook(t, 'mutating', namespace, {
        answer: allowed,
        rules: [rule('configmaps', 'CREATE UPDATE')],
      });
      const query = { fieldManager: 'me' };
      const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: '1' } };
      const created = await t.apply(`${path}/a`, applied, { manager: 'me', force: true });
      created.is(201);
      created.judge(last(made.reviews), {
        operation: 'CREATE',
        options: exactly(options('CreateOptions', query)),
        object: { metadata: { managedFields: [{ operation: 'Apply' }] } },
      });
      const { metadata } = created.body;
      const old = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion }, data: { key: '1' } };
      const updated = await t.put(`${path}/a`, configMap('a', { key: '2' }));
      updated.is(200);
      updated.judge(last(made.reviews), {
        operation: 'UPDATE',
        options: exactly(options('UpdateOptions')),
        object: { metadata: { uid: undefined, resourceVersion: undefined }, data: { key: '2' } },
        oldObject: old,
      });
      const patch = await t.mergePatch(`${path}/a`, { data: { key: '3' } }, { query });
      patch.is(200);
      patch.judge(last(made.reviews), {
        operation: 'UPDATE',
        options: exactly(options('UpdateOptions', query)),
        object: { metadata: { uid: metadata.uid }, data: { key: '3' } },
        oldObject: { data: { key: '2' } },
      });
    },
    'a deletion has no object; of a collection each goes without a name': async (t) => {
      const namespace = await t.namespace();
      const path = configMaps(namespace);
      for (const name of ['a', 'b']) (await t.post(path, configMap(name, {}, { labels: { of: 'case' } }))).is(201);
      const rules = [rule('configmaps', 'DELETE')];
      const made = await hook(t, 'mutating', namespace, { answer: allowed, rules });
      const judge = await hook(t, 'validating', namespace, { answer: allowed, rules });
      const one = await t.delete(`${path}/a`, { query: { propagationPolicy: 'Background' } });
      one.is(200);
      for (const { reviews } of [made, judge]) {
        one.judge(last(reviews), {
          operation: 'DELETE',
          name: 'a',
          object: null,
          oldObject: { metadata: { name: 'a', uid } },
          options: exactly(options('DeleteOptions', { propagationPolicy: 'Background' })),
        });
      }
      const all = await t.delete(path, { query: { labelSelector: 'of=case' } });
      all.is(200);
      all.judge(last(judge.reviews), { name: undefined, operation: 'DELETE', oldObject: { metadata: { name: 'b' } } });
    },
    'a refused deletion deletes nothing': async (t) => {
      const namespace = await t.namespace();
      (await t.post(configMaps(namespace), configMap('a'))).is(201);
      const made = await hook(t, 'validating', namespace, {
        answer: denied({ code: 403, reason: 'Forbidden', message: 'it stays' }),
        rules: [rule('configmaps', 'DELETE')],
        objectSelector: { matchLabels: { free: 'no' } },
      });
      (await t.mergePatch(`${configMaps(namespace)}/a`, { metadata: { labels: { free: 'no' } } })).is(200);
      (await t.delete(`${configMaps(namespace)}/a`)).refuses({
        code: 403,
        reason: 'Forbidden',
        message: `admission webhook "${made.name}" denied the request: it stays`,
      });
      (await t.mergePatch(`${configMaps(namespace)}/a`, { metadata: { labels: { free: 'yes' } } })).is(200);
    },
    'a scale is sent as a Scale, and may be changed': async (t) => {
      const namespace = await t.namespace();
      const path = deployments(namespace);
      (await t.post(path, deployment('a', { paused: true, replicas: 1 }))).is(201);
      const rules = [rule('deployments/scale', 'UPDATE', { apiGroups: ['apps'] })];
      const answer = patched([{ op: 'add', path: '/spec/replicas', value: 3 }]);
      const made = await hook(t, 'mutating', namespace, { answer, rules, objectSelector: {} });
      const judge = await hook(t, 'validating', namespace, { answer: allowed, rules, objectSelector: {} });
      const scaled = await t.mergePatch(`${path}/a/scale`, { spec: { replicas: 2 } });
      scaled.is(200, { spec: { replicas: 3 } });
      const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
      const sent = { kind, subResource: 'scale', requestSubResource: 'scale', operation: 'UPDATE', name: 'a' };
      scaled.judge(last(made.reviews), {
        ...sent,
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        object: { kind: 'Scale', spec: { replicas: 2 } },
        oldObject: { kind: 'Scale', spec: { replicas: 1 } },
      });
      scaled.judge(last(judge.reviews), {
        ...sent,
        object: { kind: 'Scale', spec: { replicas: 3 }, metadata: { uid } },
      });
      (await t.get(`${path}/a`)).is(200, { spec: { replicas: 3 } });
    },
    'statuses, bindings, evictions and tokens are sent as what they are': async (t) => {
      const namespace = await t.freshNamespace();
      const path = pods(namespace);
      const account = (await t.post(serviceAccounts(namespace), { metadata: { name: 'a' } })).is(201);
      (await t.post(path, pod('a', { serviceAccountName: account.metadata.name }))).is(201);
      const rules = [rule('pods/status pods/binding pods/eviction serviceaccounts/token', 'CREATE UPDATE')];
      const made = await hook(t, 'mutating', namespace, { answer: allowed, rules });
      const status = await t.mergePatch(`${path}/a/status`, { status: { message: 'hello' } });
      status.is(200);
      status.judge(last(made.reviews), {
        kind: core('Pod'),
        subResource: 'status',
        operation: 'UPDATE',
        object: { status: { message: 'hello' } },
      });
      const eviction = await t.post(`${path}/a/eviction`, { metadata: { name: 'a' } }, { query: { dryRun: 'All' } });
      eviction.is(201);
      eviction.judge(last(made.reviews), {
        kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        resource: resource('pods'),
        subResource: 'eviction',
        operation: 'CREATE',
        name: 'a',
        object: { kind: 'Eviction', metadata: { name: 'a', namespace } },
      });
      const bound = { metadata: { name: 'a' }, target: { kind: 'Node', name: 'nowhere' } };
      const binding = await t.post(`${path}/a/binding`, bound, { query: { dryRun: 'All' } });
      binding.is(201);
      binding.judge(last(made.reviews), {
        kind: core('Binding'),
        subResource: 'binding',
        operation: 'CREATE',
        object: { kind: 'Binding', metadata: { name: 'a', namespace }, target: { name: 'nowhere' } },
      });
      const token = await t.post(`${serviceAccounts(namespace)}/a/token`, {});
      token.is(201);
      token.judge(last(made.reviews), {
        kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
        resource: resource('serviceaccounts'),
        subResource: 'token',
        operation: 'CREATE',
        name: 'a',
        object: { kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
      });
    },
    'a question to the server is sent like an object': async (t) => {
      const namespace = await t.namespace();
      const rules = [rule('localsubjectaccessreviews', 'CREATE', { apiGroups: ['authorization.k8s.io'] })];
      const made = await hook(t, 'validating', namespace, { answer: denied({ message: 'ask elsewhere' }), rules });
      const path = `/apis/authorization.k8s.io/v1/namespaces/${namespace}/localsubjectaccessreviews`;
      const question = { user: 'jane', resourceAttributes: { verb: 'get', namespace, resource: 'pods' } };
      const answer = await t.post(path, { metadata: { namespace }, spec: question });
      answer.is(400, { message: `admission webhook "${made.name}" denied the request: ask elsewhere` });
      answer.judge(last(made.reviews), {
        operation: 'CREATE',
        object: { kind: 'LocalSubjectAccessReview', spec: question },
      });
    },
    'a command in a container is a connection, which has no options but is an object of them': async (t) => {
      const namespace = await t.namespace();
      const rules = [rule('pods/exec', 'CONNECT')];
      const answer = denied({ message: 'not in here' });
      const made = await hook(t, 'validating', namespace, { answer, rules, objectSelector: {} });
      const query = { command: 'ls', container: 'main', stdout: true };
      const refused = await t.get(`${pods(namespace)}/a/exec`, { query });
      refused.is(400, { message: `admission webhook "${made.name}" denied the request: not in here` });
      refused.judge(last(made.reviews), {
        kind: core('PodExecOptions'),
        resource: resource('pods'),
        subResource: 'exec',
        name: 'a',
        operation: 'CONNECT',
        options: null,
        object: exactly({ kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, container: 'main', command: ['ls'] }),
        oldObject: null,
      });
    },
    'a namespace is in itself, and selected by the labels that it is to have': async (t) => {
      const namespace = await t.freshNamespace();
      const made = await hook(t, 'validating', namespace, {
        answer: allowed,
        rules: [rule('namespaces', 'UPDATE')],
        namespaceSelector: { matchLabels: { chosen: namespace } },
      });
      const patch = (labels: object) => t.mergePatch(`${namespaces}/${namespace}`, { metadata: { labels } });
      (await patch({ other: 'true' })).is(200);
      const answer = await patch({ chosen: namespace });
      answer.is(200);
      answer.judge(made.reviews, [
        { request: { name: namespace, namespace, object: { metadata: { labels: { chosen: namespace } } } } },
      ]);
    },
    'configurations are asked by their names, each as it lists its webhooks': async (t) => {
      const namespace = await t.namespace();
      const seen: string[] = [];
      const labels = (name: string) => ({ name, answer: labelling(name, seen) });
      const prefix = t.name('order');
      await hooks(t, 'mutating', namespace, [labels('third')], `${prefix}-b`);
      await hooks(t, 'mutating', namespace, [labels('second'), labels('first')], `${prefix}-a`);
      const created = (await t.post(configMaps(namespace), configMap('a'))).is(201);
      const { labels: given } = created.metadata as { labels?: object };
      const answer = await t.get(`${configMaps(namespace)}/a`);
      answer.judge(seen, ['second', 'first second', 'third first second']);
      answer.judge(Object.keys(given ?? {}).sort(), ['first', 'second', 'third']);
      // Nobody owns what webhooks add to a new object.
      answer.judge(created.metadata.managedFields, undefined);
    },
    'a webhook may ask to see an object again that others have changed after it': async (t) => {
      const namespace = await t.namespace();
      const seen: string[] = [];
      const reinvocationPolicy = 'IfNeeded';
      await hooks(t, 'mutating', namespace, [
        { name: 'once', answer: labelling('once', seen) },
        { name: 'again', answer: labelling('again', seen), reinvocationPolicy },
        { name: 'last', answer: labelling('last', seen), reinvocationPolicy },
      ]);
      const answer = await t.post(configMaps(namespace), configMap('a'));
      answer.is(201);
      answer.judge(seen, ['once', 'again once', 'last again once', 'again again last once']);
    },
    'an object that nobody changed is not shown again': async (t) => {
      const namespace = await t.namespace();
      const made = await hooks(t, 'mutating', namespace, [
        { answer: allowed, reinvocationPolicy: 'IfNeeded' },
        { answer: patched([{ op: 'add', path: '/metadata/name', value: 'a' }]), reinvocationPolicy: 'IfNeeded' },
      ]);
      const answer = await t.post(configMaps(namespace), configMap('a'));
      answer.is(201);
      answer.judge(
        made.map(({ reviews }) => reviews.length),
        [1, 1],
      );
    },
    'warnings travel with the answer, once each and not too many, also with a refusal': async (t) => {
      const namespace = await t.namespace();
      const long = Array.from({ length: 20 }, (_, index) => `${index % 10}${'y'.repeat(299)}${index}`);
      const warned =
        (warnings: readonly string[], more: object = {}): Answering =>
        (review) =>
          reviewed(review, { allowed: true, warnings, ...more });
      const select = (name: string) => ({ objectSelector: { matchLabels: { try: name } } });
      await hooks(t, 'validating', namespace, [
        { answer: warned(['one', 'one', 'two "quoted"', '', 'with\nlines']), ...select('few') },
        { answer: warned(long), ...select('many') },
        { answer: warned(['careful'], { allowed: false }), ...select('refused') },
      ]);
      const send = (name: string) => t.post(configMaps(namespace), configMap(name, {}, { labels: { try: name } }));
      const few = await send('few');
      few.is(201);
      few.judge(few.warnings, ['299 - "one"', '299 - "two \\"quoted\\""']);
      const many = await send('many');
      many.is(201);
      many.judge(many.warnings.length, 16);
      many.judge(many.warnings[0]?.length, 256 + '299 - ""'.length);
      const refused = await send('refused');
      refused.is(400);
      refused.judge(refused.warnings, ['299 - "careful"']);
    },
    'owners that a webhook names twice are remarked on': async (t) => {
      const namespace = await t.namespace();
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '1' };
      const answer = patched([{ op: 'add', path: '/metadata/ownerReferences', value: [owner, owner] }]);
      await hook(t, 'mutating', namespace, { answer });
      const created = await t.post(configMaps(namespace), configMap('a'), { query: { dryRun: 'All' } });
      created.is(201, { metadata: { ownerReferences: [owner] } });
      created.judge(created.warnings, [/contains duplicate entries after mutating admission happens; /]);
    },
    'conditions leave writes out, and refuse what they cannot compute': async (t) => {
      const namespace = await t.namespace();
      const conditions = (...expressions: readonly string[]) =>
        expressions.map((expression, index) => ({ name: `c${index}`, expression }));
      const select = (name: string) => ({ objectSelector: { matchLabels: { try: name } } });
      const answer = denied({ message: 'no' });
      const impossible = conditions('object.data.key == "1"', 'object.spec.key == "1"');
      await hooks(t, 'validating', namespace, [
        { answer, ...select('out'), matchConditions: conditions('object.data.key == "1"', 'request.name != "out"') },
        { answer, ...select('in'), matchConditions: conditions('request.operation == "CREATE"', 'oldObject == null') },
        { answer, ...select('impossible'), matchConditions: impossible },
        { answer, ...select('ignored'), matchConditions: impossible, failurePolicy: 'Ignore' },
        {
          answer,
          ...select('may'),
          matchConditions: conditions('!authorizer.requestResource.check("delete").allowed()'),
        },
      ]);
      const send = (name: string) =>
        t.post(configMaps(namespace), configMap(name, undefined, { labels: { try: name } }));
      (await send('out')).is(201);
      (await send('in')).is(400, { message: /denied the request: no$/ });
      const computed = (text: string, key: string) => `expression '${text}' resulted in error: no such key: ${key}`;
      (await send('impossible')).refuses({
        code: 403,
        reason: 'Forbidden',
        message: `configmaps "impossible" is forbidden: [${computed('object.data.key == "1"', 'data')}, ${computed('object.spec.key == "1"', 'spec')}]`,
        details: { name: 'impossible', kind: 'configmaps' },
      });
      (await send('ignored')).is(201);
      (await send('may')).is(201);
    },
    'a dry run is not shown to a webhook that has effects': async (t) => {
      const namespace = await t.namespace();
      const made = await hook(t, 'validating', namespace, { answer: allowed, sideEffects: 'NoneOnDryRun' });
      const answer = await t.post(configMaps(namespace), configMap('a'), { query: { dryRun: 'All' } });
      answer.is(201);
      answer.judge(last(made.reviews), { dryRun: true });
    },
    'configurations of admission are never shown to webhooks': async (t) => {
      const namespace = await t.namespace();
      const name = t.name('exempt');
      const rules = [rule('*', '*', { apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['*'] })];
      const selector = { matchLabels: { exempt: name } };
      const entry = { answer: denied(), rules, objectSelector: selector };
      const made = await hook(t, 'validating', namespace, entry);
      const metadata = { name, labels: { exempt: name } };
      const answer = await t.post(
        webhookConfigurations.mutating,
        { metadata, webhooks: [] },
        { query: { dryRun: 'All' } },
      );
      answer.is(201);
      answer.judge(made.reviews, []);
    },
    'a webhook that knows one version is shown others in it, unless it wants them exactly': async (t) => {
      const namespace = await t.namespace();
      const version = { served: true, schema: { openAPIV3Schema: anySchema } };
      const versions = [
        { name: 'v1', storage: true, ...version },
        { name: 'v2', storage: false, ...version },
      ];
      const custom = await define(t, definition({}, { versions }));
      const rules = [rule(custom.plural, 'CREATE', { apiGroups: [custom.group], apiVersions: ['v1'] })];
      const [equivalent, exact] = await hooks(t, 'mutating', namespace, [
        { answer: patched([{ op: 'add', path: '/spec', value: { by: 'webhook' } }]), rules },
        { answer: denied(), rules, matchPolicy: 'Exact' },
      ]);
      const object = { apiVersion: `${custom.group}/v2`, kind: custom.kind, metadata: { name: 'a' } };
      const answer = await t.post(custom.in(namespace, 'v2'), object);
      answer.is(201, { apiVersion: `${custom.group}/v2`, spec: { by: 'webhook' } });
      answer.judge(exact?.reviews, []);
      answer.judge(last(equivalent?.reviews ?? []), {
        kind: { group: custom.group, version: 'v1', kind: custom.kind },
        resource: { group: custom.group, version: 'v1', resource: custom.plural },
        requestKind: { group: custom.group, version: 'v2', kind: custom.kind },
        requestResource: { group: custom.group, version: 'v2', resource: custom.plural },
        object: { apiVersion: `${custom.group}/v1`, kind: custom.kind, metadata: { name: 'a' } },
      });
    },
    'a custom object that a webhook changes is defaulted and pruned again': async (t) => {
      const namespace = await t.namespace();
      const spec = { type: 'object', properties: { size: { type: 'integer', default: 1 } } };
      const custom = await defineSchema(t, { type: 'object', properties: { spec } });
      const rules = [rule(custom.plural, 'CREATE', { apiGroups: [custom.group] })];
      const select = (name: string) => ({ rules, objectSelector: { matchLabels: { try: name } } });
      await hooks(t, 'mutating', namespace, [
        { answer: patched([{ op: 'add', path: '/spec', value: { none: true } }]), ...select('unknown') },
        { answer: patched([{ op: 'add', path: '/spec', value: { size: 'large' } }]), ...select('type') },
        { answer: patched([{ op: 'add', path: '/kind', value: 'Other' }]), ...select('kind') },
      ]);
      const send = (name: string) =>
        t.post(custom.in(namespace), {
          kind: custom.kind,
          apiVersion: custom.apiVersion,
          metadata: { name, labels: { try: name } },
        });
      (await send('unknown')).is(201, { spec: exactly({ size: 1 }) });
      (await send('type')).is(422, { message: /spec.size: Invalid value: "string": / });
      (await send('kind')).is(422);
    },
    'several versions of everything can be matched at once': async (t) => {
      const namespace = await t.namespace();
      const made = await hook(t, 'validating', namespace, {
        answer: allowed,
        rules: [everything],
        failurePolicy: 'Ignore',
      });
      const answer = await t.post(configMaps(namespace), configMap('a'));
      answer.is(201);
      answer.judge(
        made.reviews.some(({ request: { name } }) => name === 'a'),
        true,
      );
    },
  },
};
