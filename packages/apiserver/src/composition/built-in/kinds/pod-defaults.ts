/** Defaults of pods and of the pod templates in other kinds. */
import { type ApiObject, isObject, type JsonObject } from '../../../object.ts';
import { change, changeEach, fill } from './fill.ts';

/** The tag of an image reference: `latest` when there is neither tag nor digest. */
export function imageTag(image: string): string {
  if (image.includes('@')) return '';
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') ? name.slice(name.lastIndexOf(':') + 1) : 'latest';
}

const handler = (action: JsonObject): JsonObject =>
  change(action, 'httpGet', (get) => fill(get, { path: '/', scheme: 'HTTP' }));

const probe = (value: JsonObject): JsonObject =>
  change(
    change(
      fill(value, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
      'httpGet',
      (get) => fill(get, { path: '/', scheme: 'HTTP' }),
    ),
    'grpc',
    (grpc) => fill(grpc, { service: '' }),
  );

const fieldRef = (ref: JsonObject): JsonObject => fill(ref, { apiVersion: 'v1' });

const environment = (variable: JsonObject): JsonObject =>
  change(variable, 'valueFrom', (from) => change(from, 'fieldRef', fieldRef));

function container(value: JsonObject): JsonObject {
  const tag = imageTag(typeof value.image === 'string' ? value.image : '');
  let result = fill(value, {
    imagePullPolicy: tag === 'latest' ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  result = changeEach(result, 'ports', (port) => fill(port, { protocol: 'TCP' }));
  result = changeEach(result, 'env', environment);
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) result = change(result, name, probe);
  return change(result, 'lifecycle', (lifecycle) =>
    change(change(lifecycle, 'postStart', handler), 'preStop', handler),
  );
}

const items = (source: JsonObject): JsonObject =>
  changeEach(source, 'items', (item) => change(item, 'fieldRef', fieldRef));

function volume(value: JsonObject): JsonObject {
  const { name, ...sources } = value;
  if (Object.keys(sources).length === 0) return { ...value, emptyDir: {} };
  let result = value;
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    result = change(result, source, (inner) => items(fill(inner, { defaultMode: 420 })));
  }
  result = change(result, 'projected', (projected) =>
    changeEach(projected, 'sources', (source) =>
      change(
        change(source, 'serviceAccountToken', (token) => fill(token, { expirationSeconds: 3600 })),
        'downwardAPI',
        items,
      ),
    ),
  );
  result = change(result, 'hostPath', (path) => fill(path, { type: '' }));
  result = change(result, 'ephemeral', (ephemeral) =>
    change(ephemeral, 'volumeClaimTemplate', (template) =>
      change(template, 'spec', (spec) => fill(spec, { volumeMode: 'Filesystem' })),
    ),
  );
  return result;
}

function podSpecDefaults(spec: JsonObject): JsonObject {
  let result = fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  // The old name of the same field: whichever is set is shown in both.
  const account = result.serviceAccountName ?? result.serviceAccount;
  if (account !== undefined) result = { ...result, serviceAccountName: account, serviceAccount: account };
  for (const name of ['containers', 'initContainers', 'ephemeralContainers'])
    result = changeEach(result, name, container);
  result = changeEach(result, 'volumes', volume);
  if (result.hostNetwork === true) result = changeEach(result, 'containers', hostPorts);
  return result;
}

const hostPorts = (value: JsonObject): JsonObject =>
  changeEach(value, 'ports', (port) => fill(port, { hostPort: port.containerPort }));

/** Of a workload's `spec.template`. */
export const templateDefaults = (object: ApiObject): ApiObject =>
  change(object, 'spec', (spec) => change(spec, 'template', (template) => change(template, 'spec', podSpecDefaults)));

/** Limits without requests are requests too; only in pods, not in templates. */
const requests = (value: JsonObject): JsonObject =>
  change(value, 'resources', (resources) =>
    isObject(resources.limits)
      ? { ...resources, requests: { ...resources.limits, ...(resources.requests as JsonObject | undefined) } }
      : resources,
  );

export const podDefaults = (pod: ApiObject): ApiObject =>
  change(pod, 'spec', (spec) => {
    let result: JsonObject = podSpecDefaults(spec);
    for (const name of ['containers', 'initContainers']) result = changeEach(result, name, requests);
    return fill(result, { enableServiceLinks: true });
  });
