/** What the controllers of a cluster do; the API server alone does none of it. */
import type { Area, Case, Proof } from '../case.ts';
import type { Body } from '../exchange.ts';
import { including, timestamp } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments, namespaces, pods, replicaSets, serviceAccounts } from '../paths.ts';
import type { Trial } from '../trial.ts';

const withControllers = (proof: Proof): { needs: NonNullable<Case['needs']>; proof: Proof } => ({
  needs: 'controllers',
  proof,
});

/** An owner and what it owns; the path of both. */
async function family(t: Trial, blocking = false): Promise<{ owner: string; child: string; childBody: Body }> {
  const path = configMaps(await t.freshNamespace());
  const { metadata } = (await t.post(path, configMap('owner'))).is(201);
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
  const ownerReferences = [blocking ? { ...reference, blockOwnerDeletion: true } : reference];
  const childBody = (await t.post(path, configMap('child', {}, { ownerReferences }))).is(201);
  return { owner: `${path}/owner`, child: `${path}/child`, childBody };
}

const gone = (t: Trial, path: string) => t.eventually(async () => (await t.get(path)).is(404));

export const controllers: Area = {
  name: 'controllers',
  proves: ['B1', 'B2', 'N1', 'U1'],
  cases: {
    'a namespace gets a service account and the certificate of the cluster': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      await t.eventually(async () => (await t.get(`${serviceAccounts(namespace)}/default`)).is(200));
      await t.eventually(async () => {
        const path = `${configMaps(namespace)}/kube-root-ca.crt`;
        (await t.get(path)).is(200, { data: { 'ca.crt': /^-----BEGIN CERTIFICATE-----/ } });
      });
    }),

    'a deleted service account default comes back': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      const path = `${serviceAccounts(namespace)}/default`;
      const before = await t.eventually(async () => (await t.get(path)).is(200));
      (await t.delete(path)).is(200);
      await t.eventually(async () => {
        const answer = await t.get(path);
        answer.judge(answer.is(200).metadata.uid !== before.metadata.uid, true, 'a new one');
      });
    }),

    'a deleted namespace goes with all that is in it': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(configMaps(namespace), configMap('a'))).is(201);
      (await t.delete(`${namespaces}/${namespace}`)).is(200);
      await gone(t, `${namespaces}/${namespace}`);
      (await t.get(`${configMaps(namespace)}/a`)).is(404);
    }),

    'a namespace waits for the finalizers in it, and says so': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      (await t.post(configMaps(namespace), configMap('a', {}, { finalizers: ['example.com/a'] }))).is(201);
      (await t.delete(`${namespaces}/${namespace}`)).is(200);
      await t.eventually(async () => {
        (await t.get(`${namespaces}/${namespace}`)).is(200, {
          status: {
            phase: 'Terminating',
            conditions: including({
              type: 'NamespaceFinalizersRemaining',
              status: 'True',
              reason: 'SomeFinalizersRemain',
              message: /example\.com\/a in 1 resource instances/,
            }),
          },
        });
      });
      (await t.mergePatch(`${configMaps(namespace)}/a`, { metadata: { finalizers: null } })).is(200);
      await gone(t, `${namespaces}/${namespace}`);
    }),

    'what an owner leaves behind is collected': withControllers(async (t) => {
      const { owner, child } = await family(t);
      (await t.delete(owner, { body: { propagationPolicy: 'Background' } })).is(200, { status: 'Success' });
      await gone(t, child);
    }),

    'what names an owner that never was is collected': withControllers(async (t) => {
      const path = configMaps(await t.freshNamespace());
      const uid = '00000000-0000-4000-8000-000000000000';
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid }];
      (await t.post(path, configMap('child', {}, { ownerReferences }))).is(201);
      await gone(t, `${path}/child`);
    }),

    'what has another owner left stays, without the reference': withControllers(async (t) => {
      const path = configMaps(await t.freshNamespace());
      const reference = async (name: string) => {
        const { metadata } = (await t.post(path, configMap(name))).is(201);
        return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid };
      };
      const ownerReferences = [await reference('one'), await reference('two')];
      (await t.post(path, configMap('child', {}, { ownerReferences }))).is(201);
      (await t.delete(`${path}/one`)).is(200);
      await t.eventually(async () => {
        (await t.get(`${path}/child`)).is(200, { metadata: { ownerReferences: [{ name: 'two' }] } });
      });
    }),

    'in the foreground the owner goes last': withControllers(async (t) => {
      const { owner, child } = await family(t, true);
      (await t.mergePatch(child, { metadata: { finalizers: ['example.com/a'] } })).is(200);
      (await t.delete(owner, { body: { propagationPolicy: 'Foreground' } })).is(200, {
        metadata: { finalizers: ['foregroundDeletion'] },
      });
      await t.eventually(async () => {
        (await t.get(child)).is(200, { metadata: { deletionTimestamp: timestamp } });
      });
      (await t.get(owner)).is(200, { metadata: { deletionTimestamp: timestamp } });
      (await t.mergePatch(child, { metadata: { finalizers: null } })).is(200);
      await gone(t, child);
      await gone(t, owner);
    }),

    'orphans stay, without the reference': withControllers(async (t) => {
      const { owner, child, childBody } = await family(t);
      (await t.delete(owner, { body: { propagationPolicy: 'Orphan' } })).is(200);
      await gone(t, owner);
      (await t.get(child)).is(200, { metadata: { uid: childBody.metadata.uid, ownerReferences: undefined } });
    }),

    'a Deployment makes a ReplicaSet of its template': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      const { metadata } = (await t.post(deployments(namespace), deployment('a', { paused: false, replicas: 0 }))).is(
        201,
      );
      await t.eventually(async () => {
        const answer = await t.get(replicaSets(namespace));
        answer.is(200, {
          items: [
            {
              metadata: {
                name: /^a-[bcdfghjklmnpqrstvwxz2456789]+$/,
                labels: { app: 'a', 'pod-template-hash': /^[bcdfghjklmnpqrstvwxz2456789]+$/ },
                annotations: { 'deployment.kubernetes.io/revision': '1' },
                ownerReferences: [
                  {
                    apiVersion: 'apps/v1',
                    kind: 'Deployment',
                    name: 'a',
                    uid: metadata.uid,
                    controller: true,
                    blockOwnerDeletion: true,
                  },
                ],
              },
              spec: { replicas: 0, selector: { matchLabels: { 'pod-template-hash': /./ } } },
            },
          ],
        });
      });
      await t.eventually(async () => {
        (await t.get(`${deployments(namespace)}/a`)).is(200, {
          metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
          status: {
            observedGeneration: 1,
            conditions: including(
              { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
              { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
            ),
          },
        });
      });
    }),

    'a ReplicaSet makes as many pods as it should have': withControllers(async (t) => {
      const namespace = await t.freshNamespace();
      await t.eventually(async () => (await t.get(`${serviceAccounts(namespace)}/default`)).is(200));
      const { spec } = deployment('a');
      const template = { ...spec.template, spec: { ...spec.template.spec, schedulerName: 'conformance' } };
      const body = { metadata: { name: 'a' }, spec: { replicas: 2, selector: spec.selector, template } };
      (await t.post(replicaSets(namespace), body)).is(201);
      const pod = {
        metadata: {
          name: /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
          generateName: 'a-',
          labels: { app: 'a' },
          ownerReferences: [{ kind: 'ReplicaSet', name: 'a', controller: true, blockOwnerDeletion: true }],
        },
        status: { phase: 'Pending' },
      };
      await t.eventually(async () => (await t.get(pods(namespace))).is(200, { items: [pod, pod] }));
      await t.eventually(async () => {
        (await t.get(`${replicaSets(namespace)}/a`)).is(200, { status: { replicas: 2, observedGeneration: 1 } });
      });
      (await t.mergePatch(`${replicaSets(namespace)}/a/scale`, { spec: { replicas: 0 } })).is(200);
      await t.eventually(async () => (await t.get(pods(namespace))).is(200, { items: [] }));
    }),
  },
};
