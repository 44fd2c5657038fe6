/** Namespaces: their life, and what it means for their contents. */
import type { Area } from '../case.ts';
import { exactly, resourceVersion, timestamp, uid } from '../match.ts';
import { configMap } from '../objects.ts';
import { configMaps, namespaces } from '../paths.ts';
import { invalid, methodNotAllowed, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

/** A namespace that stays Terminating until the case lets it go: controllers respect finalizers that they do not know. */
async function terminating(t: Trial): Promise<string> {
  const name = t.name('case');
  (await t.post(namespaces, { metadata: { name }, spec: { finalizers: ['example.com/conformance'] } })).is(201);
  (await t.post(configMaps(name), configMap('before', {}, { finalizers: ['example.com/conformance'] }))).is(201);
  (await t.delete(`${namespaces}/${name}`)).is(200);
  return name;
}

/** Ends what `terminating` has begun, whether or not a controller has done its part. */
async function letGo(t: Trial, name: string): Promise<void> {
  await t.mergePatch(`${configMaps(name)}/before`, { metadata: { finalizers: null } });
  await t.delete(`${configMaps(name)}/before`);
  await t.eventually(async () => {
    const present = await t.get(`${namespaces}/${name}`);
    if (present.status === 404) return;
    const finalizers = (present.body.spec.finalizers as readonly string[] | undefined) ?? [];
    const kept = (await t.session.hasControllers) ? finalizers.filter((each) => each === 'kubernetes') : [];
    await t.put(`${namespaces}/${name}/finalize`, { ...present.body, spec: { finalizers: kept } });
    (await t.get(`${namespaces}/${name}`)).is(404);
  });
}

const terminatingRefusal = (namespace: string, name: string) => ({
  code: 403,
  reason: 'Forbidden',
  message: `configmaps "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
  details: {
    name,
    kind: 'configmaps',
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  },
});

export const namespaceLife: Area = {
  name: 'namespaces',
  proves: ['N1', 'D2'],
  cases: {
    'the server has its four': async (t) => {
      for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
        (await t.get(`${namespaces}/${name}`)).is(200, { status: { phase: 'Active' } });
      }
    },

    'a new one is active, labelled with its name, and waits for a finalizer': async (t) => {
      const name = t.name('case');
      (await t.post(namespaces, { metadata: { name } })).is(
        201,
        exactly({
          kind: 'Namespace',
          apiVersion: 'v1',
          metadata: {
            name,
            uid,
            resourceVersion,
            creationTimestamp: timestamp,
            labels: { 'kubernetes.io/metadata.name': name },
            managedFields: [
              {
                manager: 'conformance',
                operation: 'Update',
                apiVersion: 'v1',
                time: timestamp,
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } },
              },
            ],
          },
          spec: { finalizers: ['kubernetes'] },
          status: { phase: 'Active' },
        }),
      );
    },

    'the label with the name cannot be changed': async (t) => {
      const name = await t.freshNamespace();
      const labels = { 'kubernetes.io/metadata.name': 'another', mine: 'yes' };
      (await t.mergePatch(`${namespaces}/${name}`, { metadata: { labels } })).is(200, {
        metadata: { labels: exactly({ 'kubernetes.io/metadata.name': name, mine: 'yes' }) },
      });
    },

    'finalizers of the spec are changed by finalize alone': async (t) => {
      const name = await t.freshNamespace();
      (await t.mergePatch(`${namespaces}/${name}`, { spec: { finalizers: [] } })).is(200, {
        spec: { finalizers: ['kubernetes'] },
      });
      const present = (await t.get(`${namespaces}/${name}`)).is(200);
      const body = { ...present, spec: { finalizers: ['example.com/conformance', 'kubernetes'] } };
      (await t.put(`${namespaces}/${name}/finalize`, body)).is(200, {
        spec: { finalizers: ['example.com/conformance', 'kubernetes'] },
      });
      const back = (await t.get(`${namespaces}/${name}`)).is(200);
      (await t.put(`${namespaces}/${name}/finalize`, { ...back, spec: { finalizers: ['kubernetes'] } })).is(200);
    },

    'a name must be a DNS label': async (t) => {
      (await t.post(namespaces, { metadata: { name: 'A_b' } })).refuses(
        invalid('Namespace', 'A_b', {
          reason: 'FieldValueInvalid',
          message:
            "Invalid value: \"A_b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
          field: 'metadata.name',
        }),
      );
      (await t.post(namespaces, { metadata: { name: 'a.b' } })).refuses(
        invalid('Namespace', 'a.b', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "a.b": must not contain dots',
          field: 'metadata.name',
        }),
      );
    },

    'a deletion answers with the namespace, terminating': async (t) => {
      const name = t.name('case');
      (await t.post(namespaces, { metadata: { name }, spec: { finalizers: ['example.com/conformance'] } })).is(201);
      (await t.delete(`${namespaces}/${name}`)).is(200, {
        kind: 'Namespace',
        metadata: { name, deletionTimestamp: timestamp, deletionGracePeriodSeconds: undefined },
        spec: { finalizers: ['example.com/conformance', 'kubernetes'] },
        status: { phase: 'Terminating' },
      });
      await letGo(t, name);
    },

    'nothing new can be created in one that terminates': async (t) => {
      const name = await terminating(t);
      (await t.post(configMaps(name), configMap('a'))).refuses(terminatingRefusal(name, 'a'));
      (await t.apply(`${configMaps(name)}/a`, configMap('a'), { manager: 'one' })).refuses(
        terminatingRefusal(name, 'a'),
      );
      await letGo(t, name);
    },

    'what is in one that terminates can be changed and deleted': async (t) => {
      const name = await terminating(t);
      (await t.mergePatch(`${configMaps(name)}/before`, { data: { key: '1' } })).is(200, { data: { key: '1' } });
      (await t.delete(`${configMaps(name)}/before`)).is(200);
      await letGo(t, name);
    },

    'a name is taken while it terminates': async (t) => {
      const name = await terminating(t);
      (await t.post(namespaces, { metadata: { name } })).refuses({
        code: 409,
        reason: 'AlreadyExists',
        message: `object is being deleted: namespaces "${name}" already exists`,
        details: { name, kind: 'namespaces' },
      });
      await letGo(t, name);
    },

    'one that terminates goes with its last finalizer': async (t) => {
      const name = await terminating(t);
      await letGo(t, name);
      (await t.get(`${namespaces}/${name}`)).refuses(notFound('namespaces', name));
    },

    'those of the system cannot be deleted': async (t) => {
      for (const name of ['default', 'kube-system', 'kube-public']) {
        (await t.delete(`${namespaces}/${name}`)).refuses({
          code: 403,
          reason: 'Forbidden',
          message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
          details: { name, kind: 'namespaces' },
        });
      }
    },

    'they cannot be deleted as a collection': async (t) => {
      (await t.delete(namespaces, { query: { labelSelector: 'none' } })).refuses(methodNotAllowed);
    },

    'one that does not exist is not found': async (t) => {
      const name = t.name('nowhere');
      (await t.get(`${namespaces}/${name}`)).refuses(notFound('namespaces', name));
      (await t.delete(`${namespaces}/${name}`)).refuses(notFound('namespaces', name));
    },
  },
};
