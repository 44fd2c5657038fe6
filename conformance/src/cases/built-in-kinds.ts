/** Defaults and validation of the built-in kinds that operators write. */
import type { Area, Proof } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { exactly } from '../match.ts';
import { deployment, lease, pod, service } from '../objects.ts';
import {
  deployments,
  leases,
  pods,
  replicaSets,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from '../paths.ts';
import { badRequest, type Cause, invalid } from '../refusals.ts';

/** Most of these cases are dry, so that no controller gets to see what they make. */
const dryRun = { query: { dryRun: 'All' } };

const required = (field: string, message = 'Required value') => ({ reason: 'FieldValueRequired', message, field });
const value = (field: string, message: string) => ({ reason: 'FieldValueInvalid', message, field });
const unsupported = (field: string, message: string) => ({ reason: 'FieldValueNotSupported', message, field });

function refused(path: (namespace: string) => string, kind: string, body: Fields, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const namespace = await t.namespace();
    await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
    (await t.post(path(namespace), body, dryRun)).refuses(invalid(kind, 'a', ...causes));
  };
}

const containerDefaults = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};
const podDefaults = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const container = { name: 'main', image: 'example.com/main:1' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'a' } };
const metadata = { name: 'a' };
const admission = '/apis/admissionregistration.k8s.io/v1';

export const builtInKinds: Area = {
  name: 'built-in kinds',
  proves: ['E1'],
  cases: {
    'webhooks are completed': async (t) => {
      const webhook = {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { namespace: 'a', name: 'b' } },
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['widgets'] }],
      };
      const completed = {
        ...webhook,
        clientConfig: { service: { namespace: 'a', name: 'b', port: 443 } },
        rules: [{ ...webhook.rules[0], scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      };
      const body = { metadata, webhooks: [webhook] };
      (await t.post(`${admission}/validatingwebhookconfigurations`, body, dryRun)).is(201, {
        metadata: { generation: 1 },
        webhooks: [exactly(completed)],
      });
      (await t.post(`${admission}/mutatingwebhookconfigurations`, body, dryRun)).is(201, {
        webhooks: [exactly({ ...completed, reinvocationPolicy: 'Never' })],
      });
    },

    'admission policies and their bindings are completed': async (t) => {
      const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['widgets'] };
      const resources = { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' };
      const validations = [{ expression: 'true' }];
      const policy = { metadata, spec: { matchConstraints: { resourceRules: [rule] }, validations } };
      (await t.post(`${admission}/validatingadmissionpolicies`, policy, dryRun)).is(201, {
        spec: exactly({
          matchConstraints: { ...resources, resourceRules: [{ ...rule, scope: '*' }] },
          validations,
          failurePolicy: 'Fail',
        }),
      });
      const spec = { policyName: 'p', validationActions: ['Deny'], matchResources: {} };
      (await t.post(`${admission}/validatingadmissionpolicybindings`, { metadata, spec }, dryRun)).is(201, {
        spec: exactly({ ...spec, matchResources: resources }),
      });
    },

    'a CSIDriver is completed': async (t) => {
      (await t.post('/apis/storage.k8s.io/v1/csidrivers', { metadata, spec: {} }, dryRun)).is(201, {
        spec: exactly({
          attachRequired: true,
          podInfoOnMount: false,
          volumeLifecycleModes: ['Persistent'],
          storageCapacity: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          requiresRepublish: false,
          seLinuxMount: false,
        }),
      });
    },

    'the service of an APIService is completed': async (t) => {
      const service = { namespace: 'a', name: 'b' };
      const spec = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service };
      const body = { metadata: { name: 'v1.a.example.com' }, spec: { ...spec, insecureSkipTLSVerify: true } };
      (await t.post('/apis/apiregistration.k8s.io/v1/apiservices', body, dryRun)).is(201, {
        spec: { service: exactly({ ...service, port: 443 }) },
      });
    },

    'a Deployment is completed': async (t) => {
      const answer = await t.post(deployments(await t.namespace()), { metadata, spec: { selector, template } }, dryRun);
      answer.is(201, {
        metadata: { generation: 1 },
        spec: exactly({
          replicas: 1,
          selector,
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ ...container, ...containerDefaults }], ...podDefaults },
          },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        }),
        status: exactly({}),
      });
    },

    'a ReplicaSet is completed': async (t) => {
      const answer = await t.post(replicaSets(await t.namespace()), { metadata, spec: { selector, template } }, dryRun);
      answer.is(201, {
        metadata: { generation: 1 },
        spec: exactly({
          replicas: 1,
          selector,
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ ...container, ...containerDefaults }], ...podDefaults },
          },
        }),
        status: exactly({ replicas: 0 }),
      });
    },

    'a pod is completed': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      const spec = { automountServiceAccountToken: false, containers: [container] };
      const toleration = (key: string) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      });
      (await t.post(pods(namespace), { metadata, spec }, dryRun)).is(201, {
        metadata: { generation: 1 },
        spec: exactly({
          automountServiceAccountToken: false,
          containers: [{ ...container, ...containerDefaults }],
          ...podDefaults,
          serviceAccountName: 'default',
          serviceAccount: 'default',
          tolerations: [toleration('not-ready'), toleration('unreachable')],
          priority: 0,
          enableServiceLinks: true,
          preemptionPolicy: 'PreemptLowerPriority',
        }),
        status: exactly({ phase: 'Pending', qosClass: 'BestEffort' }),
      });
    },

    'containers are completed: ports, probes, environment, resources, pull policy': async (t) => {
      const spec = {
        containers: [
          {
            name: 'main',
            image: 'example.com/main',
            ports: [{ containerPort: 80 }],
            readinessProbe: { httpGet: { port: 80 } },
            livenessProbe: { tcpSocket: { port: 80 } },
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.5' } },
          },
        ],
        volumes: [
          { name: 'one', emptyDir: {} },
          { name: 'two', configMap: { name: 'x' } },
        ],
      };
      const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
      const body = { metadata, spec: { selector, template: { ...template, spec } } };
      (await t.post(deployments(await t.namespace()), body, dryRun)).is(201, {
        spec: {
          template: {
            spec: {
              containers: [
                exactly({
                  ...containerDefaults,
                  name: 'main',
                  image: 'example.com/main',
                  imagePullPolicy: 'Always',
                  ports: [{ containerPort: 80, protocol: 'TCP' }],
                  readinessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, ...probe },
                  livenessProbe: { tcpSocket: { port: 80 }, ...probe },
                  env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
                  // The quantity is written in its shortest form. In a pod, memory would be requested too.
                  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
                }),
              ],
              volumes: [
                exactly({ name: 'one', emptyDir: {} }),
                exactly({ name: 'two', configMap: { name: 'x', defaultMode: 420 } }),
              ],
            },
          },
        },
      });
    },

    'a Service is completed and gets an address': async (t) => {
      const answer = await t.post(services(await t.namespace()), service('a'));
      const { spec } = answer.is(201, {
        spec: exactly({
          selector: { app: 'a' },
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
          clusterIP: /^\d+\.\d+\.\d+\.\d+$/,
          clusterIPs: (addresses: unknown) => Array.isArray(addresses) && addresses.length === 1,
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        }),
        status: exactly({ loadBalancer: {} }),
      });
      answer.judge(spec.clusterIPs, [spec.clusterIP]);
    },

    'a headless Service has no address': async (t) => {
      (await t.post(services(await t.namespace()), service('a', { clusterIP: 'None' }))).is(201, {
        spec: { clusterIP: 'None', clusterIPs: ['None'] },
      });
    },

    'a Service keeps its address': async (t) => {
      const path = services(await t.namespace());
      const { spec } = (await t.post(path, service('a'))).is(201);
      (await t.put(`${path}/a`, service('a', { ports: [{ port: 81 }] }))).is(200, {
        spec: { clusterIP: spec.clusterIP, ports: [{ port: 81, targetPort: 81 }] },
      });
      (await t.mergePatch(`${path}/a`, { spec: { clusterIP: '192.0.2.1' } })).refuses(
        invalid('Service', 'a', value('spec.clusterIPs[0]', 'Invalid value: ["192.0.2.1"]: may not change once set')),
      );
    },

    'a Secret is opaque, and its strings become data': async (t) => {
      const body = { metadata, stringData: { one: 'text' }, data: { two: 'ZA==' } };
      (await t.post(secrets(await t.namespace()), body)).is(201, {
        type: 'Opaque',
        data: exactly({ one: 'dGV4dA==', two: 'ZA==' }),
        stringData: undefined,
      });
    },

    'data of a Secret must be base64': async (t) => {
      (await t.post(secrets(await t.namespace()), { metadata, data: { key: '!!' } })).refuses(
        badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0'),
      );
    },

    'a RoleBinding is completed, and its role cannot change': async (t) => {
      const path = roleBindings(await t.namespace());
      const subjects = [
        { kind: 'ServiceAccount', name: 'x', namespace: 'default' },
        { kind: 'User', name: 'y' },
      ];
      (await t.post(path, { metadata, roleRef: { kind: 'Role', name: 'r' }, subjects })).is(201, {
        roleRef: exactly({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }),
        subjects: [exactly(subjects[0]), exactly({ ...subjects[1], apiGroup: 'rbac.authorization.k8s.io' })],
      });
      (await t.mergePatch(`${path}/a`, { roleRef: { name: 's' } })).refuses(
        invalid(
          'RoleBinding.rbac.authorization.k8s.io',
          'a',
          value(
            'roleRef',
            'Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"s"}: cannot change roleRef',
          ),
        ),
      );
    },

    'a Lease keeps microseconds': async (t) => {
      const spec = {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:01.234567Z',
      };
      (await t.post(leases(await t.namespace()), lease('a', spec))).is(201, { spec: exactly(spec) });
    },

    'a Lease takes no time without microseconds': async (t) => {
      (await t.post(leases(await t.namespace()), lease('a', { renewTime: '2026-01-01T00:00:00Z' }))).refuses(
        badRequest(
          'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
        ),
      );
    },

    'a Deployment needs selector, labels and containers': refused(
      deployments,
      'Deployment.apps',
      { metadata },
      required('spec.selector'),
      value('spec.template.metadata.labels', 'Invalid value: null: `selector` does not match template `labels`'),
      required('spec.template.spec.containers'),
    ),

    'a Deployment must select its own pods': refused(
      deployments,
      'Deployment.apps',
      deployment('a', { selector: { matchLabels: { app: 'b' } } }),
      value('spec.template.metadata.labels', 'Invalid value: {"app":"a"}: `selector` does not match template `labels`'),
    ),

    'a Deployment cannot stand still': refused(
      deployments,
      'Deployment.apps',
      deployment('a', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      value('spec.strategy.rollingUpdate.maxUnavailable', 'Invalid value: 0: may not be 0 when `maxSurge` is 0'),
    ),

    'a Deployment always restarts its pods': refused(
      deployments,
      'Deployment.apps',
      deployment('a', { template: { ...template, spec: { restartPolicy: 'Never', containers: [container] } } }),
      unsupported('spec.template.spec.restartPolicy', 'Unsupported value: "Never": supported values: "Always"'),
    ),

    'replicas must be a number': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a', { replicas: 'three' }), dryRun)).refuses(
        badRequest(
          'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
        ),
      );
    },

    'the selector of a Deployment cannot change': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a'))).is(201);
      const changed = deployment('b');
      const patch = { spec: { selector: { matchLabels: { app: 'b' } }, template: changed.spec.template } };
      (await t.mergePatch(`${path}/a`, patch)).refuses(
        invalid(
          'Deployment.apps',
          'a',
          value('spec.selector', 'Invalid value: {"matchLabels":{"app":"b"}}: field is immutable'),
        ),
      );
    },

    'containers are validated': refused(
      pods,
      'Pod',
      pod('a', { containers: [{ name: 'x' }, { name: 'x', image: 'y' }] }),
      required('spec.containers[0].image'),
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: "x"', field: 'spec.containers[1].name' },
    ),

    'ports, policies and resources of a pod are validated': refused(
      pods,
      'Pod',
      pod('a', {
        restartPolicy: 'Sometimes',
        containers: [
          {
            name: 'x',
            image: 'y',
            imagePullPolicy: 'Maybe',
            ports: [{ containerPort: 70_000 }],
            resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
          },
        ],
      }),
      value(
        'spec.containers[0].ports[0].containerPort',
        'Invalid value: 70000: must be between 1 and 65535, inclusive',
      ),
      unsupported(
        'spec.containers[0].imagePullPolicy',
        'Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      ),
      value(
        'spec.containers[0].resources.requests',
        'Invalid value: "2": must be less than or equal to cpu limit of 1',
      ),
      unsupported(
        'spec.restartPolicy',
        'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ),
    ),

    'a quantity must be one': async (t) => {
      const resources = { requests: { cpu: 'much' } };
      const body = pod('a', { containers: [{ ...container, resources }] });
      (await t.post(pods(await t.namespace()), body, dryRun)).refuses(
        badRequest(
          'Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
        ),
      );
    },

    'a pod needs its service account': async (t) => {
      const namespace = await t.namespace();
      (await t.post(pods(namespace), pod('a', { serviceAccountName: 'nobody' }))).refuses({
        code: 403,
        reason: 'Forbidden',
        message: `pods "a" is forbidden: error looking up service account ${namespace}/nobody: serviceaccount "nobody" not found`,
        details: { name: 'a', kind: 'pods' },
      });
    },

    'of a pod only images and little else can change': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a'))).is(201);
      const containers = [{ name: 'main', image: 'example.com/main:2' }];
      (await t.strategicPatch(`${pods(namespace)}/a`, { spec: { containers } })).is(200, {
        metadata: { generation: 2 },
        spec: { containers: [{ image: 'example.com/main:2' }] },
      });
      const answer = await t.mergePatch(`${pods(namespace)}/a`, { spec: { schedulerName: 'another' } });
      answer.is(422, {
        details: {
          causes: [
            {
              reason: 'FieldValueForbidden',
              field: 'spec',
              // A difference between the two specs follows.
              message: /^Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/,
            },
          ],
        },
      });
    },

    'a Service needs ports': refused(services, 'Service', service('a', { ports: [] }), required('spec.ports')),

    'several ports of a Service need names': refused(
      services,
      'Service',
      service('a', { ports: [{ port: 80 }, { name: 'b', port: 0 }] }),
      required('spec.ports[0].name'),
      value('spec.ports[1].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'),
      value('spec.ports[1].targetPort', 'Invalid value: 0: must be between 1 and 65535, inclusive'),
    ),

    'a Service has a known type': refused(
      services,
      'Service',
      service('a', { type: 'Magic' }),
      unsupported(
        'spec.type',
        'Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ),
    ),

    'a rule of a Role needs verbs, groups and resources': refused(
      roles,
      'Role.rbac.authorization.k8s.io',
      { metadata, rules: [{ verbs: [] }] },
      required('rules[0].verbs', 'Required value: verbs must contain at least one value'),
      required('rules[0].apiGroups', 'Required value: resource rules must supply at least one api group'),
      required('rules[0].resources', 'Required value: resource rules must supply at least one resource'),
    ),

    'a Lease needs sensible numbers': refused(
      leases,
      'Lease.coordination.k8s.io',
      lease('a', { leaseDurationSeconds: 0, leaseTransitions: -1 }),
      value('spec.leaseDurationSeconds', 'Invalid value: 0: must be greater than 0'),
      value('spec.leaseTransitions', 'Invalid value: -1: must be greater than or equal to 0'),
    ),
  },
};
