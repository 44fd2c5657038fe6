/** Every pod has a service account, and its containers find that account's token. */
import type { ServiceAccount } from '@keelson/core/v1';
import { type ApiObject, at, type JsonObject, readAs } from '../object.ts';
import { generatedSuffix } from '../resource/generated-name.ts';
import { forbidden } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The real server makes tokens last an hour and the few seconds that a kubelet needs. */
const tokenSeconds = 3607;

export function podServiceAccount({ objects, random }: AdmissionContext, pod: ApiObject): ApiObject {
  const spec = pod.spec as JsonObject;
  const name = (spec.serviceAccountName as string | undefined) ?? 'default';
  const namespace = pod.metadata.namespace ?? '';
  const found = objects.find('serviceaccounts', `${namespace}/${name}`);
  const account = found && readAs<ServiceAccount>(found);
  if (account === undefined) {
    throw forbidden(
      { group: '', name: 'pods' },
      pod.metadata.name ?? '',
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  }
  const secrets = account.imagePullSecrets ?? [];
  const named: JsonObject = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(spec.imagePullSecrets === undefined && secrets.length > 0 && { imagePullSecrets: secrets }),
  };
  const wantsToken = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  return { ...pod, spec: wantsToken ? mounted(named, `kube-api-access-${generatedSuffix(random)}`) : named };
}

function mounted(spec: JsonObject, volume: string): JsonObject {
  const containers = (spec.containers ?? []) as readonly JsonObject[];
  const initContainers = (spec.initContainers ?? []) as readonly JsonObject[];
  const hasMount = (container: JsonObject) =>
    ((container.volumeMounts ?? []) as readonly JsonObject[]).some((mount) => at(mount, 'mountPath') === mountPath);
  if ([...containers, ...initContainers].every(hasMount)) return spec;
  const withMount = (container: JsonObject): JsonObject =>
    hasMount(container)
      ? container
      : {
          ...container,
          volumeMounts: [
            ...((container.volumeMounts ?? []) as readonly JsonObject[]),
            { name: volume, readOnly: true, mountPath },
          ],
        };
  return {
    ...spec,
    volumes: [...((spec.volumes ?? []) as readonly JsonObject[]), tokenVolume(volume)],
    containers: containers.map(withMount),
    ...(initContainers.length > 0 && { initContainers: initContainers.map(withMount) }),
  };
}

const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 420,
  },
});
