/** ResourceQuotas: how they count, and what they refuse. */
import type { Area } from '../case.ts';
import type { Fields, Refusal } from '../exchange.ts';
import { exactly, including } from '../match.ts';
import { deployment, lease, pod, service } from '../objects.ts';
import { deployments, leases, pods, serviceAccounts, services } from '../paths.ts';
import type { Trial } from '../trial.ts';

const quotas = (namespace: string) => `/api/v1/namespaces/${namespace}/resourcequotas`;
const claims = (namespace: string) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const dryRun = { query: { dryRun: 'All' } };

/** A namespace with a quota called `q` whose usage is known. */
async function limited(t: Trial, hard: Fields, spec: Fields = {}): Promise<string> {
  const namespace = await t.freshNamespace();
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  (await t.post(quotas(namespace), { metadata: { name: 'q' }, spec: { hard, ...spec } })).is(201, {
    status: exactly({}),
  });
  await used(t, namespace, (usage: Fields) => Object.keys(usage).length === Object.keys(hard).length);
  return namespace;
}

async function used(t: Trial, namespace: string, expected: unknown): Promise<void> {
  await t.eventually(async () => void (await t.get(`${quotas(namespace)}/q`)).is(200, { status: { used: expected } }));
}

function forbidden(resource: string, name: string, why: unknown): Refusal {
  const [kind, ...group] = resource.split('.');
  const details = { name, ...(group.length > 0 && { group: group.join('.') }), kind };
  const message = typeof why === 'string' ? `${resource} "${name}" is forbidden: ${why}` : why;
  return { code: 403, reason: 'Forbidden', message, details };
}

/** The server hears of a quota by a watch: what it refuses once, it refuses from then on. */
async function refused(t: Trial, path: string, body: { metadata: { name: string } }, resource: string, why: string) {
  await t.eventually(async () =>
    (await t.post(path, body, dryRun)).refuses(forbidden(resource, body.metadata.name, why)),
  );
}

/** It hears of what a quota counts by that watch, too, and until then refuses all that the quota is about. */
async function made(t: Trial, path: string, body: unknown, options?: typeof dryRun): Promise<void> {
  await t.eventually(async () => void (await t.post(path, body, options)).is(201));
}

const withResources = (name: string, resources: Fields, spec: Fields = {}) =>
  pod(name, { containers: [{ name: 'main', image: 'example.com/main:1', resources }], ...spec });

const proofs = (cases: Readonly<Record<string, (t: Trial) => Promise<void>>>): Area['cases'] =>
  Object.fromEntries(
    Object.entries(cases).map(([sentence, proof]) => [sentence, { needs: 'controllers', proof }] as const),
  );

export const resourceQuotas: Area = {
  name: 'quotas',
  proves: ['Q1'],
  cases: proofs({
    'the pod after the last that fits is refused, and fits again when one is gone': async (t) => {
      const namespace = await limited(t, { pods: '1' });
      const path = pods(namespace);
      await made(t, path, pod('a'));
      (await t.get(`${quotas(namespace)}/q`)).is(200, { status: { hard: { pods: '1' }, used: { pods: '1' } } });
      (await t.post(path, pod('b'))).refuses(
        forbidden('pods', 'b', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      );
      (await t.delete(`${path}/a`)).is(200);
      await used(t, namespace, { pods: '0' });
      await t.eventually(async () => void (await t.post(path, pod('b'))).is(201));
    },

    'a dry run is judged and not counted': async (t) => {
      const namespace = await limited(t, { pods: '1' });
      await made(t, pods(namespace), pod('a'), dryRun);
      (await t.get(`${quotas(namespace)}/q`)).is(200, { status: { used: { pods: '0' } } });
    },

    'an object that is refused for another reason is not counted in the end': async (t) => {
      const namespace = await limited(t, { pods: '2' });
      await made(t, pods(namespace), pod('a'));
      (await t.post(pods(namespace), pod('a'))).is(409);
      (await t.post(pods(namespace), pod('b', { containers: [] }))).is(422);
      (await t.get(`${quotas(namespace)}/q`)).is(200, { status: { used: { pods: /^[12]$/ } } });
    },

    'processors and memory: every container must say what it needs': async (t) => {
      const namespace = await limited(t, { 'limits.cpu': '2', 'requests.memory': '1Gi', cpu: '1' });
      const containers = ['one', 'two'].map((name) => ({ name, image: 'example.com/main:1' }));
      const initContainers = [{ name: 'init', image: 'example.com/main:1' }];
      await refused(
        t,
        pods(namespace),
        pod('a', { containers, initContainers }),
        'pods',
        'failed quota: q: must specify cpu for: init,one,two; limits.cpu for: init,one,two; requests.memory for: init,one,two',
      );
      const resources = { limits: { cpu: '500m' }, requests: { memory: '100Mi' } };
      (await t.post(pods(namespace), withResources('a', resources))).is(201);
      (await t.get(`${quotas(namespace)}/q`)).is(200, {
        status: { used: { 'limits.cpu': '500m', 'requests.memory': '100Mi', cpu: '500m' } },
      });
    },

    'what is asked for adds up, and all that does not fit is named': async (t) => {
      const namespace = await limited(t, { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '5' });
      const resources = { requests: { cpu: '600m' }, limits: { memory: '600Mi' } };
      await made(t, pods(namespace), withResources('a', resources));
      (await t.post(pods(namespace), withResources('b', resources))).refuses(
        forbidden(
          'pods',
          'b',
          'exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=600m, used: limits.memory=600Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
        ),
      );
    },

    'init containers count by the largest, sidecars with the others': async (t) => {
      const namespace = await limited(t, { 'requests.cpu': '10' });
      const container = (name: string, cpu: string, more: Fields = {}) => ({
        name,
        image: 'example.com/main:1',
        resources: { requests: { cpu } },
        ...more,
      });
      const spec = {
        containers: [container('one', '1'), container('two', '500m')],
        initContainers: [container('side', '250m', { restartPolicy: 'Always' }), container('init', '3')],
      };
      await made(t, pods(namespace), pod('a', spec));
      (await t.get(`${quotas(namespace)}/q`)).is(200, { status: { used: { 'requests.cpu': '3250m' } } });
    },

    'a scope: pods that ask for nothing': async (t) => {
      const namespace = await limited(t, { pods: '0' }, { scopes: ['BestEffort'] });
      const why = 'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0';
      await refused(t, pods(namespace), pod('a'), 'pods', why);
      (await t.post(pods(namespace), withResources('b', { requests: { cpu: '1m' } }))).is(201);
    },

    'a scope: pods that have a deadline': async (t) => {
      const namespace = await limited(t, { pods: '0' }, { scopes: ['Terminating'] });
      const why = 'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0';
      await refused(t, pods(namespace), pod('a', { activeDeadlineSeconds: 60 }), 'pods', why);
      (await t.post(pods(namespace), pod('b'))).is(201);
    },

    'a scope: pods of a priority': async (t) => {
      const matchExpressions = [
        { scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical', 'other'] },
      ];
      const namespace = await limited(t, { pods: '0' }, { scopeSelector: { matchExpressions } });
      const why = 'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0';
      await refused(t, pods(namespace), pod('a', { priorityClassName: 'system-cluster-critical' }), 'pods', why);
      (await t.post(pods(namespace), pod('b'))).is(201);
    },

    'objects of any kind are counted': async (t) => {
      const namespace = await limited(t, { 'count/leases.coordination.k8s.io': '1', 'count/deployments.apps': '0' });
      await made(t, leases(namespace), lease('a'));
      await refused(
        t,
        leases(namespace),
        lease('b'),
        'leases.coordination.k8s.io',
        'exceeded quota: q, requested: count/leases.coordination.k8s.io=1, used: count/leases.coordination.k8s.io=1, limited: count/leases.coordination.k8s.io=1',
      );
      await refused(
        t,
        deployments(namespace),
        deployment('a'),
        'deployments.apps',
        'exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
      );
      (await t.delete(`${leases(namespace)}/a`)).is(200);
      await used(t, namespace, { 'count/leases.coordination.k8s.io': '0' });
    },

    'services are counted by their type, also when it changes': async (t) => {
      const namespace = await limited(t, { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' });
      await made(t, services(namespace), service('a'));
      (await t.get(`${quotas(namespace)}/q`)).is(200, {
        status: { used: exactly({ services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' }) },
      });
      (await t.mergePatch(`${services(namespace)}/a`, { spec: { type: 'NodePort' } })).is(200);
      (await t.get(`${quotas(namespace)}/q`)).is(200, {
        status: { used: { services: '1', 'services.nodeports': '1' } },
      });
      (await t.mergePatch(`${services(namespace)}/a`, { spec: { type: 'LoadBalancer' } })).refuses(
        forbidden(
          'services',
          'a',
          'exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
        ),
      );
    },

    'claims are counted by what they ask for, and by class': async (t) => {
      const namespace = await limited(t, {
        persistentvolumeclaims: '5',
        'requests.storage': '10Gi',
        'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
      });
      const claim = (name: string, storage: string) => ({
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage } } },
      });
      await made(t, claims(namespace), claim('a', '1Gi'));
      (await t.get(`${quotas(namespace)}/q`)).is(200, {
        status: {
          used: {
            persistentvolumeclaims: '1',
            'requests.storage': '1Gi',
            'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
          },
        },
      });
      (await t.post(claims(namespace), claim('b', '1'))).refuses(
        forbidden(
          'persistentvolumeclaims',
          'b',
          'exceeded quota: q, requested: fast.storageclass.storage.k8s.io/requests.storage=1, used: fast.storageclass.storage.k8s.io/requests.storage=1Gi, limited: fast.storageclass.storage.k8s.io/requests.storage=1Gi',
        ),
      );
    },

    'what was there before the quota is counted': async (t) => {
      const namespace = await t.freshNamespace();
      const secrets = `/api/v1/namespaces/${namespace}/secrets`;
      for (const name of ['a', 'b']) (await t.post(secrets, { metadata: { name } })).is(201);
      // The controllers count what they have seen: when they have looked after a later namespace, they have seen these.
      const later = await t.freshNamespace();
      await t.eventually(async () => void (await t.get(`${serviceAccounts(later)}/default`)).is(200));
      (await t.post(quotas(namespace), { metadata: { name: 'q' }, spec: { hard: { secrets: '9' } } })).is(201);
      await used(t, namespace, { secrets: '2' });
    },

    'a changed quota is known by its status': async (t) => {
      const namespace = await limited(t, { pods: '1' });
      (await t.mergePatch(`${quotas(namespace)}/q`, { spec: { hard: { pods: '3', secrets: '2' } } })).is(200);
      await t.eventually(
        async () =>
          void (await t.get(`${quotas(namespace)}/q`)).is(200, {
            status: exactly({ hard: { pods: '3', secrets: '2' }, used: { pods: '0', secrets: '0' } }),
          }),
      );
    },

    'a ReplicaSet without room says so, and its Deployment too': async (t) => {
      const namespace = await limited(t, { pods: '1' });
      (await t.post(deployments(namespace), deployment('a', { replicas: 3, paused: false }))).is(201);
      const message =
        /^pods "a-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/;
      const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message };
      await t.eventually(async () => {
        (await t.get(`${deployments(namespace)}/a`)).is(200, {
          status: { replicas: 1, conditions: including(condition) },
        });
        const sets = await t.get(`/apis/apps/v1/namespaces/${namespace}/replicasets`);
        sets.is(200, { items: [{ status: { replicas: 1, conditions: [condition] } }] });
        (await t.get(`/api/v1/namespaces/${namespace}/events`)).is(200, {
          items: including({
            type: 'Warning',
            reason: 'FailedCreate',
            involvedObject: { kind: 'ReplicaSet' },
            message: /^Error creating: pods "a-.+" is forbidden: exceeded quota: q, /,
          }),
        });
      });
    },
  }),
};
