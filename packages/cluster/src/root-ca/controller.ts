/** The root CA publisher: every active namespace has a ConfigMap `kube-root-ca.crt`, by which pods know the API server. */
import { createWorkQueue } from '@keelson/client';
import { equalJson, isAlreadyExists, keyOf } from '@keelson/core';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';

const name = 'kube-root-ca.crt';
const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** `rootCa` is the bundle, in PEM. */
export function startRootCaPublisher(context: ControllerContext, rootCa: string): RunningController {
  const { client, informers, clock, signal } = context;
  const data = { 'ca.crt': rootCa };
  const queue = createWorkQueue({ clock });
  const namespaces = informers.informer(Namespace);
  const bundles = informers.informer(ConfigMap, { fields: `metadata.name=${name}` });
  namespaces.subscribe(({ object }) => queue.add(keyOf(object)), { signal });
  bundles.subscribe(({ object }) => queue.add(object.metadata.namespace), { signal });
  const sync = async (namespace: string): Promise<void> => {
    if (namespaces.store.get(namespace)?.status.phase !== 'Active') return;
    const bundle = bundles.store.get(`${namespace}/${name}`);
    if (!bundle) {
      try {
        await client.create(ConfigMap, { metadata: { namespace, name, annotations }, data });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    } else if (!equalJson(bundle.data, data) || !bundle.metadata.annotations?.['kubernetes.io/description']) {
      const metadata = { ...bundle.metadata, annotations: { ...bundle.metadata.annotations, ...annotations } };
      await client.update(ConfigMap, { ...bundle, metadata, data });
    }
  };
  return startLoop(context, { name: 'root-ca-certificate-publisher', queue, informers: [namespaces, bundles], sync });
}
