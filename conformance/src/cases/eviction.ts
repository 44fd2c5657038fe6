/** Evictions: a deletion that asks the disruption budgets of the pod first. */
import type { Area, Case, Proof } from '../case.ts';
import type { Answer, Fields, Refusal } from '../exchange.ts';
import { exactly, timestamp } from '../match.ts';
import { configMap, pod } from '../objects.ts';
import { configMaps, namespaces, podDisruptionBudgets, pods, serviceAccounts } from '../paths.ts';
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const withControllers = (proof: Proof): { needs: NonNullable<Case['needs']>; proof: Proof } => ({
  needs: 'controllers',
  proof,
});

const eviction = (name: string, deleteOptions?: Fields) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...(deleteOptions && { deleteOptions }),
});

const success = exactly({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });

/** What an eviction leaves on a pod that does not go at once. */
const evicted = exactly({
  type: 'DisruptionTarget',
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: timestamp,
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
});

/** A namespace in which pods may be made. */
async function podNamespace(t: Trial): Promise<string> {
  const namespace = await t.namespace();
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  return namespace;
}

/** A pod of a node that does not exist, of which nobody else will say that it runs. */
async function runningPod(
  t: Trial,
  namespace: string,
  name: string,
  { isReady = true, metadata = {} }: { readonly isReady?: boolean; readonly metadata?: Fields } = {},
): Promise<string> {
  const path = `${pods(namespace)}/${name}`;
  const body = pod(name, { nodeName: 'conformance' }, { labels: { app: 'a' }, ...metadata });
  (await t.post(pods(namespace), body)).is(201);
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  (await t.mergePatch(`${path}/status`, { status: { phase: 'Running', conditions } })).is(200);
  return path;
}

const pendingPod = async (t: Trial, namespace: string, metadata: Fields = {}): Promise<string> => {
  (await t.post(pods(namespace), pod('a', {}, { labels: { app: 'a' }, ...metadata }))).is(201);
  return `${pods(namespace)}/a`;
};

/** A budget for all pods with `app: a`, when its status is like this. */
async function budget(t: Trial, namespace: string, name: string, spec: Fields, status: Fields): Promise<string> {
  const path = `${podDisruptionBudgets(namespace)}/${name}`;
  const body = { metadata: { name }, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } };
  (await t.post(podDisruptionBudgets(namespace), body)).is(201);
  await t.eventually(async () => (await t.get(path)).is(200, { status: { observedGeneration: 1, ...status } }));
  return path;
}

function forbiddenBy(message: string, more: Fields = {}): Refusal {
  return {
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...more },
  };
}

/** A client that is given no time to wait must not take it for a server that is busy. */
function refusesForGood(answer: Answer, message: string): void {
  answer.refuses(forbiddenBy(message));
  answer.has('retry-after', undefined);
}

export const evictions: Area = {
  name: 'eviction',
  proves: ['B3'],
  cases: {
    'removes a pod that no node has': async (t) => {
      const path = await pendingPod(t, await podNamespace(t));
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
      (await t.get(path)).refuses(notFound('pods', 'a'));
    },

    'leaves a pod on a node its grace period, and the reason': async (t) => {
      const path = await runningPod(t, await podNamespace(t), 'a');
      const { metadata } = (await t.get(path)).is(200);
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
      (await t.get(path)).is(200, {
        metadata: {
          generation: 2,
          deletionTimestamp: timestamp,
          deletionGracePeriodSeconds: 30,
          managedFields: metadata.managedFields, // nobody owns the condition
        },
        status: { conditions: [{ type: 'Ready' }, evicted] },
      });
    },

    'is seen as two changes: the reason, and the mark': async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a');
      const { metadata } = (await t.get(path)).is(200);
      const watch = await t.watch(pods(namespace), { resourceVersion: metadata.resourceVersion });
      (await t.post(`${path}/eviction`, eviction('a'))).is(201);
      const conditions = [{ type: 'Ready' }, evicted];
      await watch.next({
        type: 'MODIFIED',
        object: { metadata: { deletionTimestamp: undefined }, status: { conditions } },
      });
      await watch.next({
        type: 'MODIFIED',
        object: { metadata: { deletionTimestamp: timestamp }, status: { conditions } },
      });
    },

    'carries options of the deletion': async (t) => {
      const path = await runningPod(t, await podNamespace(t), 'a');
      (await t.post(`${path}/eviction`, eviction('a', { gracePeriodSeconds: 20 }))).is(201, success);
      (await t.get(path)).is(200, { metadata: { deletionGracePeriodSeconds: 20 } });
      (await t.post(`${path}/eviction`, eviction('a', { gracePeriodSeconds: 0 }))).is(201, success);
      (await t.get(path)).refuses(notFound('pods', 'a'));
    },

    'respects finalizers': async (t) => {
      const path = await pendingPod(t, await podNamespace(t), { finalizers: ['example.com/a'] });
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
      (await t.get(path)).is(200, {
        metadata: { deletionTimestamp: timestamp, finalizers: ['example.com/a'] },
        status: { phase: 'Pending', conditions: [evicted] },
      });
    },

    'may be of the older version, or name none': async (t) => {
      const namespace = await podNamespace(t);
      const path = await pendingPod(t, namespace);
      const older = { ...eviction('a'), apiVersion: 'policy/v1beta1' };
      (await t.post(`${path}/eviction`, older)).is(201, success);
      await pendingPod(t, namespace);
      (await t.post(`${path}/eviction`, { metadata: { name: 'a' } })).is(201, success);
    },

    'of a pod that does not exist is not found': async (t) => {
      const path = `${pods(await t.namespace())}/a`;
      (await t.post(`${path}/eviction`, eviction('a'))).refuses(notFound('pods', 'a'));
    },

    'must name the pod of its path, and no other namespace': async (t) => {
      const path = await pendingPod(t, await podNamespace(t));
      const otherName = badRequest('name in URL does not match name in Eviction object');
      (await t.post(`${path}/eviction`, eviction('b'))).refuses(otherName);
      (await t.post(`${path}/eviction`, {})).refuses(otherName);
      const elsewhere = { ...eviction('a'), metadata: { name: 'a', namespace: 'default' } };
      (await t.post(`${path}/eviction`, elsewhere)).refuses(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
      (await t.get(path)).is(200, { metadata: { deletionTimestamp: undefined } });
    },

    'must be an Eviction': async (t) => {
      const path = await pendingPod(t, await podNamespace(t));
      (await t.post(`${path}/eviction`, pod('a'))).refuses(
        badRequest(
          'Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion',
        ),
      );
      (await t.post(`${path}/eviction`, { ...eviction('a'), apiVersion: 'policy/v2' })).refuses(
        badRequest(
          /^Eviction in version "v2" cannot be handled as a Eviction: no kind "Eviction" is registered for version "policy\/v2" in scheme /,
        ),
      );
    },

    'with an unknown field warns, or is refused': async (t) => {
      const path = await pendingPod(t, await podNamespace(t));
      const body = { ...eviction('a'), odd: true };
      (await t.post(`${path}/eviction`, body, { query: { fieldValidation: 'Strict' } })).refuses(
        badRequest(
          'Eviction in version "v1" cannot be handled as a Eviction: strict decoding error: unknown field "odd"',
        ),
      );
      const answer = await t.post(`${path}/eviction`, body);
      answer.is(201, success);
      answer.judge(answer.warnings, ['299 - "unknown field \\"odd\\""'], 'warnings');
    },

    'may be dry, by its query or by its options': async (t) => {
      const path = await runningPod(t, await podNamespace(t), 'a');
      const before = (await t.get(path)).is(200);
      (await t.post(`${path}/eviction`, eviction('a'), { query: { dryRun: 'All' } })).is(201, success);
      (await t.post(`${path}/eviction`, eviction('a', { dryRun: ['All'] }))).is(201, success);
      (await t.get(path)).is(200, exactly(before));
      (await t.post(`${path}/eviction`, eviction('a'), { query: { dryRun: 'x' } })).refuses(
        invalid('CreateOptions.meta.k8s.io', '', {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: ["x"]: supported values: "All"',
          field: 'dryRun',
        }),
      );
    },

    'holds to the preconditions of its options': async (t) => {
      const path = await runningPod(t, await podNamespace(t), 'a');
      const { metadata } = (await t.get(path)).is(200);
      const { uid, resourceVersion } = metadata;
      (await t.post(`${path}/eviction`, eviction('a', { preconditions: { uid: 'another' } }))).refuses(
        conflict(
          'Pod',
          'a',
          `the UID in the precondition (another) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
        ),
      );
      (await t.post(`${path}/eviction`, eviction('a', { preconditions: { uid, resourceVersion: '1' } }))).refuses(
        conflict(
          'Pod',
          'a',
          `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
        ),
      );
      const dry = { query: { dryRun: 'All' } };
      (await t.post(`${path}/eviction`, eviction('a', { preconditions: { uid: 'another' } }), dry)).is(409);
      (await t.get(path)).is(200, { metadata: { resourceVersion } });
      (await t.post(`${path}/eviction`, eviction('a', { preconditions: { uid, resourceVersion } }))).is(201, success);
      (await t.get(path)).is(200, { metadata: { deletionTimestamp: timestamp } });
    },

    // The reason is written before anybody looks at the options.
    'with options that cannot be is refused, and leaves the reason': async (t) => {
      const path = await runningPod(t, await podNamespace(t), 'a');
      (await t.post(`${path}/eviction`, eviction('a', { propagationPolicy: 'Sideways' }))).refuses(
        invalid('DeleteOptions.meta.k8s.io', '', {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
          field: 'propagationPolicy',
        }),
      );
      (await t.get(path)).is(200, {
        metadata: { deletionTimestamp: undefined },
        status: { conditions: [{ type: 'Ready' }, evicted] },
      });
    },

    'in a namespace that ends is refused': async (t) => {
      const namespace = await t.freshNamespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      const path = await pendingPod(t, namespace, { finalizers: ['example.com/a'] });
      (await t.delete(`${namespaces}/${namespace}`)).is(200);
      (await t.post(`${path}/eviction`, eviction('a'))).refuses({
        code: 403,
        reason: 'Forbidden',
        message: `pods "a" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        details: {
          name: 'a',
          kind: 'pods',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${namespace} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      });
    },

    'can only be posted': async (t) => {
      const path = await pendingPod(t, await podNamespace(t));
      (await t.get(`${path}/eviction`)).refuses(methodNotAllowed);
      (await t.delete(`${path}/eviction`)).refuses(methodNotAllowed);
    },

    'that a budget cannot spare is refused, and nothing says when to try again': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a');
      await budget(t, namespace, 'one', { minAvailable: 1 }, { currentHealthy: 1 });
      const message = 'The disruption budget one needs 1 healthy pods and has 1 currently';
      refusesForGood(await t.post(`${path}/eviction`, eviction('a')), message);
      refusesForGood(await t.post(`${path}/eviction`, eviction('a'), { query: { dryRun: 'All' } }), message);
      (await t.get(path)).is(200, { status: { conditions: [{ type: 'Ready' }] } });
    }),

    'that a budget can spare is counted in its status': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a');
      const other = await runningPod(t, namespace, 'b');
      const status = { currentHealthy: 2, disruptionsAllowed: 1 };
      const guard = await budget(t, namespace, 'one', { minAvailable: 1 }, status);
      (await t.post(`${path}/eviction`, eviction('a'), { query: { dryRun: 'All' } })).is(201, success);
      (await t.get(guard)).is(200, { status: { ...status, disruptedPods: undefined } });
      // It is counted before the deletion is tried, and stays so although that fails.
      (await t.post(`${path}/eviction`, eviction('a', { preconditions: { uid: 'another' } }))).is(409);
      (await t.get(guard)).is(200, {
        metadata: { managedFields: (entries: unknown) => hasManager(entries, 'kube-apiserver') },
        status: {
          disruptionsAllowed: 0,
          disruptedPods: exactly({ a: timestamp }),
          conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }],
        },
      });
      (await t.post(`${other}/eviction`, eviction('b'))).is(429);
    }),

    'of a pod that is not ready needs a budget that is met without it': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a', { isReady: false });
      await runningPod(t, namespace, 'b');
      const guard = await budget(t, namespace, 'one', { minAvailable: 2 }, { currentHealthy: 1 });
      refusesForGood(
        await t.post(`${path}/eviction`, eviction('a')),
        'The disruption budget one needs 2 healthy pods and has 1 currently',
      );
      (await t.mergePatch(guard, { spec: { minAvailable: 1 } })).is(200);
      await t.eventually(async () => (await t.get(guard)).is(200, { status: { observedGeneration: 2 } }));
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
      (await t.get(guard)).is(200, { status: { disruptedPods: undefined } });
    }),

    'of a pod that is not ready is always allowed where the budget says so': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a', { isReady: false });
      const spec = { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
      await budget(t, namespace, 'one', spec, { expectedPods: 1 });
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
    }),

    'of a pod that does not run, or goes already, asks no budget': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await pendingPod(t, namespace);
      const going = await runningPod(t, namespace, 'b');
      await budget(t, namespace, 'one', { minAvailable: 2 }, { expectedPods: 2 });
      (await t.post(`${path}/eviction`, eviction('a'))).is(201, success);
      (await t.delete(going)).is(200);
      (await t.post(`${going}/eviction`, eviction('b'))).is(201, success);
    }),

    'says when a budget expects nothing of pods that nobody controls': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a');
      await budget(t, namespace, 'one', { minAvailable: '50%' }, { currentHealthy: 1, expectedPods: 0 });
      refusesForGood(
        await t.post(`${path}/eviction`, eviction('a')),
        'The disruption budget one does not allow evicting pods currently',
      );
    }),

    // The controller could not make sense of the budget, so it never observed it.
    'before the budget was observed is refused for ten seconds': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const { metadata } = (await t.post(configMaps(namespace), configMap('owner'))).is(201);
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid, controller: true };
      const path = await runningPod(t, namespace, 'a', { metadata: { ownerReferences: [owner] } });
      await budget(
        t,
        namespace,
        'one',
        { maxUnavailable: 1 },
        {
          observedGeneration: undefined,
          conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }],
        },
      );
      const answer = await t.post(`${path}/eviction`, eviction('a'));
      const message = 'The disruption budget one is still being processed by the server.';
      answer.refuses(forbiddenBy(message, { retryAfterSeconds: 10 }));
      answer.has('retry-after', '10');
    }),

    'of a pod with two budgets is not supported': withControllers(async (t) => {
      const namespace = await podNamespace(t);
      const path = await runningPod(t, namespace, 'a');
      await budget(t, namespace, 'one', { minAvailable: 0 }, { currentHealthy: 1 });
      (await t.post(podDisruptionBudgets(namespace), { metadata: { name: 'two' }, spec: { selector: {} } })).is(201);
      (await t.post(`${path}/eviction`, eviction('a'))).refuses({
        code: 500,
        reason: undefined,
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      });
      (await t.get(path)).is(200, { metadata: { deletionTimestamp: undefined } });
    }),
  },
};

function hasManager(entries: unknown, name: string): boolean {
  return (
    Array.isArray(entries) &&
    entries.some(({ manager, subresource }: Fields) => manager === name && subresource === 'status')
  );
}
