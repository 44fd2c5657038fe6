/** Plan mode in virtual time: what would be written is told, nothing is written, and then it comes as it was told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getScale, setScale } from '@keelson/client';
import {
  byLabel,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubernetesObject,
  operator,
  removable,
  sleep,
  watch,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { ConfigMap, Secret, Service } from '@keelson/core/v1';
import { startCluster, type TestCluster } from '@keelson/testing';
import {
  type Controller,
  controller,
  createManager,
  done,
  type PlannedPass,
  printPlannedPass,
  printPlanSummary,
  task,
} from '../src/index.ts';
import { inTime, newWidget, rememberingLogger, Widget } from './widget.ts';

const outside: string[] = [];

const shop = controller({
  for: Widget,
  owns: [removable(ConfigMap), Deployment, Service, Secret],
  async reconcile({ metadata: { name }, spec: { text } }, { owned, status, events, client, plan }) {
    if (text === 'broken') throw new Error('the text is broken');
    if (!plan) outside.push(name);
    const labels = { app: name };
    await owned.apply(ConfigMap, { metadata: { name }, data: { text, 'motd.txt': `Welcome!\n${text}\nBye.\n` } });
    await owned.apply(Secret, { metadata: { name }, stringData: { password: `secret of ${text}` } });
    await owned.apply(Service, { metadata: { name }, spec: { selector: labels, ports: [{ name: 'http', port: 80 }] } });
    await owned.apply(Deployment, {
      metadata: { name },
      spec: {
        replicas: text === 'hello' ? 2 : 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              { name: 'web', image: `web:${text}`, resources: { requests: { cpu: '0.1' } } },
              ...(text === 'hello' ? [{ name: 'side', image: 'side:1' }] : []),
            ],
          },
        },
      },
    });
    await owned.only(ConfigMap, [name]);
    events.normal('Opened', `with ${text}`);
    await client.patch(ConfigMap, `default/${name}`, { metadata: { annotations: { seen: text } } });
    status.report({
      seen: text,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Open', message: 'open' }],
    });
    return done;
  },
  async finalize({ metadata }) {
    outside.push(`finalize ${metadata.name}`);
  },
});
const never = task({ name: 'never', run: async () => void outside.push('task') });
const shops = operator({ name: 'shops', controllers: [shop], tasks: [never], leaderElection: true });

/** Somebody who may read everything and write nothing. */
async function reader({ client, cluster }: TestCluster) {
  const metadata = { name: 'reader' };
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  await client.apply(ClusterRole, { metadata, rules });
  await client.apply(ClusterRoleBinding, {
    metadata,
    subjects: [{ ...metadata, kind: 'User', apiGroup }],
    roleRef: { ...metadata, kind: 'ClusterRole', apiGroup },
  });
  return cluster.transportAs({ ...metadata, groups: ['system:authenticated'] });
}

async function planOf(cluster: TestCluster, one?: Controller, passes: PlannedPass[] = []) {
  const sent: string[] = [];
  const way = await reader(cluster);
  const transport = {
    ...way,
    request: (request: Parameters<typeof way.request>[0]) => {
      if (request.method !== 'GET') sent.push(`${request.method} ${request.path}`);
      return way.request(request);
    },
    [Symbol.asyncDispose]: () => way[Symbol.asyncDispose](),
  };
  const manager = createManager(one ? operator({ name: 'shops', controllers: [one] }) : shops, {
    transport,
    clock: cluster.clock,
    logger: rememberingLogger(),
    plan: (pass) => void passes.push(pass),
  });
  const planned = manager.start(new AbortController().signal);
  planned.catch(() => {});
  await cluster.clock.advance(10_000);
  await planned;
  assert.deepEqual(sent, []);
  return { passes, text: passes.map((pass) => printPlannedPass(pass)).join(''), summary: printPlanSummary(passes) };
}

/** As people see it: without what the server and other controllers write. */
function essence(object: KubernetesObject | undefined): object | undefined {
  if (object === undefined) return undefined;
  const { metadata, status, ...content } = object as KubernetesObject & { readonly status?: object };
  const { name, namespace, labels, annotations = {}, finalizers, ownerReferences } = metadata;
  const { 'deployment.kubernetes.io/revision': _, ...kept } = annotations;
  return {
    ...content,
    metadata: { name, namespace, labels, annotations: kept, finalizers, ownerReferences },
    ...(object.kind === 'Widget' && { status }),
  };
}

test('a plan shows what would be made, writes nothing, and the right to read is enough', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  await cluster.client.create(Widget, newWidget('a', 'hi'));
  const { text, summary } = await planOf(cluster);
  assert.equal(
    text,
    `Widget default/a
  ~ Widget default/a
      metadata:
  +     finalizers:
  +       - engine.example.com/widget
  +   status:
  +     seen: hi
  +     conditions:
  +       - type: Ready
  +         status: "True"
  +         observedGeneration: 1
  +         lastTransitionTime: "2026-01-01T00:00:00Z"
  +         reason: Open
  +         message: open
  +     observedGeneration: 1
  + ConfigMap default/a
  +   metadata:
  +     annotations:
  +       seen: hi
  +   data:
  +     text: hi
  +     motd.txt: |
  +       Welcome!
  +       hi
  +       Bye.
  + Secret default/a
  +   data:
  +     password: ***
  + Service default/a
  +   spec:
  +     selector:
  +       app: a
  +     ports:
  +       - name: http
  +         port: 80
  + Deployment default/a
  +   spec:
  +     replicas: 1
  +     selector:
  +       matchLabels:
  +         app: a
  +     template:
  +       metadata:
  +         labels:
  +           app: a
  +       spec:
  +         containers:
  +           - name: web
  +             image: web:hi
  +             resources:
  +               requests:
  +                 cpu: "0.1"
  + Event Normal Opened: with hi
`,
  );
  assert.equal(summary, '5 objects: 4 to create, 1 to change');
  assert.equal(await cluster.client.find(ConfigMap, 'default/a'), undefined);
});

test('a plan of changes shows them alone, and then they come true', inTime, async () => {
  await using cluster = await startCluster({ operators: [shops] });
  const { client, clock } = cluster;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await client.create(Widget, newWidget(name));
  await clock.advance(60_000);
  const [replica] = cluster.replicas;
  await replica?.stop();
  await client.patch(Widget, 'default/a', { spec: { text: 'hi' } });
  await client.patch(Deployment, 'default/a', { metadata: { labels: { theirs: 'yes' } } });
  await client.patch(Service, 'default/b', { spec: { ports: [{ name: 'http', port: 81 }] } });
  await client.patch(Widget, 'default/c', { spec: { text: 'broken' } });
  await client.delete(Widget, 'default/d');
  const { ownerReferences } = (await client.get(ConfigMap, 'default/e')).metadata;
  await client.create(ConfigMap, { metadata: { name: 'left', namespace: 'default', ownerReferences } });
  outside.length = 0;
  const { text, summary, passes } = await planOf(cluster);
  assert.deepEqual(outside, []);
  assert.equal(
    text,
    `Widget default/a
  ~ ConfigMap default/a
      metadata:
        annotations:
  -       seen: hello
  +       seen: hi
      data:
  -     text: hello
  +     text: hi
        motd.txt: |
  -       hello
  +       hi
  ~ Secret default/a
      data:
  -     password: *** (before)
  +     password: *** (after)
  ~ Deployment default/a
      spec:
  -     replicas: 2
  +     replicas: 1
        template:
          spec:
            containers:
              - name: web
  -             image: web:hello
  +             image: web:hi
  -           - name: side
  -             image: side:1
  -             terminationMessagePath: /dev/termination-log
  -             terminationMessagePolicy: File
  -             imagePullPolicy: IfNotPresent
  ~ Widget default/a
      status:
  -     seen: hello
  +     seen: hi
        conditions:
          - type: Ready
  -         observedGeneration: 1
  +         observedGeneration: 2
  -     observedGeneration: 1
  +     observedGeneration: 2
  + Event Normal Opened: with hi
Widget default/b
  ~ Service default/b
      spec:
        ports:
          - name: http
  -         port: 81
  +         port: 80
  -         targetPort: 81
  -         protocol: TCP
  + Event Warning ForeignItemsRemoved: test had added spec.ports[port=81,protocol=TCP] to Service default/b, which this operator describes; removed
  + Event Normal Opened: with hello
Widget default/c
  ! failed: the text is broken
Widget default/d
  ~ finalize would be called
Widget default/e
  - ConfigMap default/left
  + Event Normal Opened: with hello
`,
  );
  assert.equal(summary, '18 objects: 5 to change, 1 to delete, 1 to finalize, 10 unchanged, 1 failed');
  await replica?.start();
  await clock.advance(60_000);
  for (const { type, after, kind, key } of passes.flatMap(({ changes }) => changes)) {
    const group = kind === 'Deployment' ? 'apps' : kind === 'Widget' ? Widget.group : '';
    const now = await client.find({ group, version: 'v1', kind }, key);
    if (type === 'delete') assert.equal(now, undefined);
    // What is added to a list gets defaults.
    else if (kind === 'Service') assert.partialDeepStrictEqual(essence(now), essence(after));
    else assert.deepEqual(essence(now), essence(after), `${kind} ${key}`);
  }
  assert.equal((await planOf(cluster)).text.includes('~'), false);
});

test('every verb of the client is planned, and read back as it would be', inTime, async () => {
  const seen: string[] = [];
  const writing = controller({
    for: Widget,
    watches: [watch(ConfigMap, { to: byLabel('nobody') })],
    async reconcile(_, { client, cache }) {
      const place = { namespace: 'default' };
      const made = await client.create(ConfigMap, { metadata: { ...place, generateName: 'made-' }, data: { a: '1' } });
      await client.update(ConfigMap, { ...made, data: { a: '2' } });
      await client.patch(ConfigMap, 'default/old', [{ op: 'replace', path: '/data/a', value: '2' }]);
      await client.delete(ConfigMap, 'default/gone');
      await client.deleteCollection(ConfigMap, { ...place, labels: { all: 'go' } });
      await client.apply(ConfigMap, { metadata: { ...place, name: 'old' }, data: { b: '1' } }, { force: true });
      await client.patch(ConfigMap, 'default/old', { data: { a: 'dry' } }, { dryRun: true });
      seen.push(made.metadata.name, JSON.stringify((await client.get(ConfigMap, 'default/old')).data));
      seen.push(JSON.stringify(cache.get(ConfigMap, 'default/old')?.data));
      for (const name of ['gone', 'one', 'two'])
        assert.equal(await client.find(ConfigMap, `default/${name}`), undefined);
      assert.equal(cache.get(ConfigMap, 'default/gone'), undefined);
      await assert.rejects(client.create(ConfigMap, { metadata: { ...place, name: 'old' } }), isAlreadyExists);
      await assert.rejects(client.delete(ConfigMap, 'default/gone'), isNotFound);
      const stale = { metadata: { resourceVersion: '1' } };
      await assert.rejects(client.patch(ConfigMap, 'default/old', stale), isConflict);
      await client.patch(ConfigMap, 'default/old', { data: {} }, { type: 'strategic' });
      return done;
    },
  });
  await using cluster = await startCluster({ kinds: [Widget] });
  const { client } = cluster;
  const metadata = (name: string, labels = {}) => ({ namespace: 'default', name, labels });
  await client.create(ConfigMap, { metadata: metadata('old'), data: { a: '1' } });
  await client.create(ConfigMap, { metadata: metadata('gone') });
  for (const name of ['one', 'two']) await client.create(ConfigMap, { metadata: metadata(name, { all: 'go' }) });
  await client.create(Widget, newWidget('a'));
  const { text, summary, passes } = await planOf(cluster, writing);
  const old = '{"a":"2","b":"1"}';
  assert.deepEqual(seen, ['made-plan1', old, old]);
  assert.equal(
    text,
    `Widget default/a
  + ConfigMap default/made-plan1
  +   metadata:
  +     generateName: made-
  +   data:
  +     a: "2"
  ~ ConfigMap default/old
      data:
  -     a: "1"
  +     a: "2"
  +     b: "1"
  - ConfigMap default/gone
  - ConfigMap default/one
  - ConfigMap default/two
  ! failed: patch configmaps default/old: a strategic merge patch cannot be planned, since only the server knows what comes of it; skip it where context.plan is true
`,
  );
  assert.equal(summary, '6 objects: 1 to create, 1 to change, 3 to delete, 1 failed');
  assert.equal(passes[0]?.error?.name, 'ApiError');
});

test(
  'a scale and a deletion of many are read back, also from the cache; what finalizers keep is there',
  inTime,
  async () => {
    const writing = controller({
      for: Widget,
      watches: [watch(ConfigMap, { to: byLabel('nobody') }), watch(Deployment, { to: byLabel('nobody') })],
      async reconcile(_, { client, cache }) {
        await setScale(client, Deployment, 'default/web', 3);
        assert.equal((await getScale(client, Deployment, 'default/web')).spec?.replicas, 3);
        for (const web of [await client.get(Deployment, 'default/web'), cache.get(Deployment, 'default/web')])
          assert.equal(web?.spec.replicas, 3);
        await client.delete(ConfigMap, 'default/kept');
        await client.deleteCollection(ConfigMap, { namespace: 'default', labels: { all: 'go' } });
        for (const kept of [await client.get(ConfigMap, 'default/kept'), cache.get(ConfigMap, 'default/kept')])
          assert.equal(kept?.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
        assert.equal(cache.get(ConfigMap, 'default/one'), undefined);
        return done;
      },
    });
    await using cluster = await startCluster({ kinds: [Widget] });
    const { client } = cluster;
    const metadata = { namespace: 'default' };
    await client.create(ConfigMap, { metadata: { ...metadata, name: 'kept', finalizers: ['x/y'] } });
    await client.create(ConfigMap, { metadata: { ...metadata, name: 'one', labels: { all: 'go' } } });
    const labels = { app: 'web' };
    await client.create(Deployment, {
      metadata: { ...metadata, name: 'web' },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    });
    await client.create(Widget, newWidget('a'));
    const { text, summary } = await planOf(cluster, writing);
    assert.equal(
      text,
      `Widget default/a
  ~ Deployment default/web
      spec:
  -     replicas: 0
  +     replicas: 3
  - ConfigMap default/kept, once x/y let it go
  - ConfigMap default/one
`,
    );
    assert.equal(summary, '4 objects: 1 to change, 2 to delete, 1 unchanged');
  },
);

test('a conflict is settled by looking again; one that lasts fails the pass', inTime, async () => {
  const passes: string[] = [];
  const errors: unknown[] = [];
  const clashing = controller({
    for: Widget,
    async reconcile({ metadata: { name } }, { client }) {
      passes.push(name);
      await client.patch(ConfigMap, 'default/shared', { data: { [name]: `${passes.length}` } });
      const isStale = name === 'b' || passes.length < 3;
      await client.patch(ConfigMap, 'default/shared', { metadata: { ...(isStale && { resourceVersion: '1' }) } });
      return done;
    },
    onError: (_, error) => void errors.push(error),
  });
  await using cluster = await startCluster({ kinds: [Widget] });
  await cluster.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'shared' } });
  for (const name of ['a', 'b']) await cluster.client.create(Widget, newWidget(name));
  const { text, summary } = await planOf(cluster, clashing);
  assert.deepEqual(passes, ['a', 'a', 'a', 'b', 'b', 'b', 'b', 'b', 'b']);
  assert.equal(
    text,
    `Widget default/a
  ~ ConfigMap default/shared
  +   data:
  +     a: "3"
Widget default/b
  ~ ConfigMap default/shared
      data:
  +     b: "9"
  ! failed: patch configmaps default/shared: Operation cannot be fulfilled on configmaps "shared": the object has been modified
`,
  );
  assert.equal(summary, '3 objects: 1 to change, 1 unchanged, 1 failed');
  assert.deepEqual([errors.length, errors.every(isConflict)], [1, true], 'told when it is given up, and not before');
});

test(
  'after a pass that timed out the next one waits for its end, and the plan ends where that does not come',
  inTime,
  async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const hanging = controller({
      for: Widget,
      timeoutMs: 500,
      async reconcile({ metadata: { name }, spec: { text } }, { clock, signal }) {
        begun.push(`${name}, after ${ended.length}`);
        if (text === 'heeds') await sleep(clock, 60_000, signal).catch(() => sleep(clock, 900));
        if (text === 'ignores') await sleep(clock, 60_000);
        ended.push(name);
        return done;
      },
    });
    await using cluster = await startCluster({ kinds: [Widget] });
    for (const [name, text] of [
      ['a', 'heeds'],
      ['b', 'ignores'],
      ['c', 'hello'],
    ] as const) {
      await cluster.client.create(Widget, newWidget(name, text));
    }
    const passes: PlannedPass[] = [];
    await assert.rejects(planOf(cluster, hanging, passes), {
      message:
        'nothing more is planned: the reconcile of widget default/b ignores its signal, and no pass runs beside another one',
    });
    assert.deepEqual(begun, ['a, after 0', 'b, after 1']);
    assert.deepEqual(
      passes.map(({ error }) => error?.message),
      ['a', 'b'].map((name) => `reconcile of widget default/${name} did not finish within 0.5 s`),
    );
  },
);

test('a kind that may not be read ends the plan with the missing rule', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const transport = cluster.cluster.transportAs({ name: 'nobody', groups: ['system:authenticated'] });
  const logger = rememberingLogger();
  const manager = createManager(shops, { transport, clock: cluster.clock, logger, plan: () => assert.fail() });
  const planned = assert.rejects(manager.start(new AbortController().signal), {
    message:
      'nothing is planned: widgets.engine.example.com cannot be watched: forbidden; missing rule: apiGroups: ["engine.example.com"], resources: ["widgets"], verbs: ["get", "list", "watch"] in all namespaces',
  });
  await cluster.clock.advance(1000);
  await planned;
});
