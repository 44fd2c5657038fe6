/** The columns of every built-in kind, and what its rows show. Descriptions of columns are not judged. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { age, exactly } from '../match.ts';
import { deployment } from '../objects.ts';
import { deployments } from '../paths.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** A column: its name, its type unless it is a string, its format; in brackets if only wide tables show it. */
const kinds: Readonly<Record<string, string>> = {
  '/api/v1/configmaps': 'Name, Data, Age',
  '/api/v1/endpoints': 'Name, Endpoints, Age',
  '/api/v1/events': 'Last Seen, Type, Reason, Object, (Subobject), (Source), Message, (First Seen), (Count), (Name)',
  '/api/v1/limitranges': 'Name, Created At:date',
  '/api/v1/namespaces': 'Name, Status, Age',
  '/api/v1/nodes':
    'Name, Status, Roles, Age, Version, (Internal-IP), (External-IP), (OS-Image), (Kernel-Version), (Container-Runtime)',
  '/api/v1/persistentvolumeclaims':
    'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, (VolumeMode)',
  '/api/v1/persistentvolumes':
    'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, (VolumeMode)',
  '/api/v1/pods': 'Name, Ready, Status, Restarts, Age, (IP), (Node), (Nominated Node), (Readiness Gates)',
  '/api/v1/podtemplates': 'Name, Containers, Images, Pod Labels',
  '/api/v1/replicationcontrollers':
    'Name, Desired:integer, Current:integer, Ready:integer, Age, (Containers), (Images), (Selector)',
  '/api/v1/resourcequotas': 'Name, Request, Limit, Age',
  '/api/v1/secrets': 'Name, Type, Data, Age',
  '/api/v1/services': 'Name, Type, Cluster-IP, External-IP, Port(s), Age, (Selector)',
  '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies': 'Name, Mutations:integer, ParamKind, Age',
  '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': 'Name, PolicyName, ParamRef, Age',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': 'Name, Webhooks:integer, Age',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies': 'Name, Validations:integer, ParamKind, Age',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': 'Name, PolicyName, ParamRef, Age',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': 'Name, Webhooks:integer, Age',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': 'Name, Created At:date',
  '/apis/apiregistration.k8s.io/v1/apiservices': 'Name, Service, Available, Age',
  '/apis/apps/v1/controllerrevisions': 'Name, Controller, Revision, Age',
  '/apis/apps/v1/daemonsets':
    'Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, (Containers), (Images), (Selector)',
  '/apis/apps/v1/deployments': 'Name, Ready, Up-to-date, Available, Age, (Containers), (Images), (Selector)',
  '/apis/apps/v1/replicasets':
    'Name, Desired:integer, Current:integer, Ready:integer, Age, (Containers), (Images), (Selector)',
  '/apis/apps/v1/statefulsets': 'Name, Ready, Age, (Containers), (Images)',
  '/apis/autoscaling/v1/horizontalpodautoscalers': 'Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  '/apis/autoscaling/v2/horizontalpodautoscalers': 'Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  '/apis/batch/v1/cronjobs':
    'Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, (Containers), (Images), (Selector)',
  '/apis/batch/v1/jobs': 'Name, Status, Completions, Duration, Age, (Containers), (Images), (Selector)',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests':
    'Name, Age, SignerName, Requestor, RequestedDuration, Condition',
  '/apis/coordination.k8s.io/v1/leases': 'Name, Holder, Age',
  '/apis/discovery.k8s.io/v1/endpointslices': 'Name, AddressType, Ports, Endpoints, Age',
  '/apis/events.k8s.io/v1/events':
    'Last Seen, Type, Reason, Object, (Subobject), (Source), Message, (First Seen), (Count), (Name)',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas':
    'Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
  '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations':
    'Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
  '/apis/networking.k8s.io/v1/ingressclasses': 'Name, Controller, Parameters, Age',
  '/apis/networking.k8s.io/v1/ingresses': 'Name, Class, Hosts, Address, Ports, Age',
  '/apis/networking.k8s.io/v1/ipaddresses': 'Name, ParentRef',
  '/apis/networking.k8s.io/v1/networkpolicies': 'Name, Pod-Selector, Age',
  '/apis/networking.k8s.io/v1/servicecidrs': 'Name, CIDRs, Age',
  '/apis/node.k8s.io/v1/runtimeclasses': 'Name, Handler, Age',
  '/apis/policy/v1/poddisruptionbudgets': 'Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings': 'Name, Role, Age, (Users), (Groups), (ServiceAccounts)',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles': 'Name, Created At:date',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings': 'Name, Role, Age, (Users), (Groups), (ServiceAccounts)',
  '/apis/rbac.authorization.k8s.io/v1/roles': 'Name, Created At:date',
  '/apis/resource.k8s.io/v1/resourceclaims': 'Name, State, Age',
  '/apis/resource.k8s.io/v1/resourceslices': 'Name, Node, Driver, Pool, Age',
  '/apis/scheduling.k8s.io/v1/priorityclasses': 'Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy',
  '/apis/storage.k8s.io/v1/csidrivers':
    'Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
  '/apis/storage.k8s.io/v1/csinodes': 'Name, Drivers:integer, Age',
  '/apis/storage.k8s.io/v1/csistoragecapacities': 'Name, Created At:date',
  '/apis/storage.k8s.io/v1/storageclasses':
    'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
  '/apis/storage.k8s.io/v1/volumeattachments': 'Name, Attacher=name, PV, Node, Attached:boolean, Age',
  '/apis/storage.k8s.io/v1/volumeattributesclasses': 'Name, DriverName, Age',
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

function described({ name, type, format, priority }: Column): string {
  const text = `${name}${type === 'string' ? '' : `:${type}`}${format === '' || name === 'Name' ? '' : `=${format}`}`;
  return priority === 0 ? text : `(${text})`;
}

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: ['one', 'two'].map((name) => ({ name, image: `example.com/${name}:1` })) },
};
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const containers = ['one,two', 'example.com/one:1,example.com/two:1'];
const backend = { service: { name: 'a', port: { number: 80 } } };
const paths = [{ path: '/', pathType: 'Prefix', backend }];
const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['widgets'] };
const webhook = {
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://example.com' },
  rules: [rule],
};
const isDefault = (name: string) => ({ annotations: { [`${name}.kubernetes.io/is-default-class`]: 'true' } });

/** Written dry: the path below a namespace or none, the object without its name, the cells behind the name. */
const rows: Readonly<Record<string, readonly [path: string, object: Fields, cells: readonly unknown[]]>> = {
  'ingresses: class, three hosts, ports': [
    '/apis/networking.k8s.io/v1/namespaces/{}/ingresses',
    {
      spec: {
        ingressClassName: 'nginx',
        tls: [{ secretName: 'a' }],
        rules: ['a', 'b', 'c', 'd'].map((host) => ({ host: `${host}.example.com`, http: { paths } })),
      },
    },
    ['nginx', 'a.example.com,b.example.com,c.example.com + 1 more...', '', '80, 443', age],
  ],
  'ingresses: without class and hosts': [
    '/apis/networking.k8s.io/v1/namespaces/{}/ingresses',
    { spec: { defaultBackend: backend } },
    ['<none>', '*', '', '80', age],
  ],
  'network policies: their selector': [
    '/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies',
    { spec: { podSelector: { matchLabels: { app: 'a' } } } },
    ['app=a', age],
  ],
  'endpoint slices: ports and addresses': [
    '/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices',
    {
      addressType: 'IPv4',
      ports: [{ name: 'a', port: 80 }],
      endpoints: [1, 2, 3, 4].map((n) => ({ addresses: [`192.0.2.${n}`] })),
    },
    ['IPv4', '80', '192.0.2.1,192.0.2.2,192.0.2.3 + 1 more...', age],
  ],
  'endpoints: addresses with ports': [
    '/api/v1/namespaces/{}/endpoints',
    {
      subsets: [
        {
          addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }],
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      ],
    },
    ['192.0.2.1:80,192.0.2.2:80,192.0.2.1:81 + 1 more...', age],
  ],
  'claims: what they ask for': [
    '/api/v1/namespaces/{}/persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } } },
    ['Pending', '', '', '', 'fast', '<unset>', age, 'Filesystem'],
  ],
  'volumes: capacity, modes, policy': [
    '/api/v1/persistentvolumes',
    {
      spec: {
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/a' },
        claimRef: { namespace: 'a', name: 'b' },
      },
    },
    ['1Gi', 'RWO,RWX', 'Retain', 'Pending', 'a/b', '', '<unset>', '', age, 'Filesystem'],
  ],
  'storage classes: provisioner and policies': [
    '/apis/storage.k8s.io/v1/storageclasses',
    { provisioner: 'example.com/p' },
    ['example.com/p', 'Delete', 'Immediate', false, age],
  ],
  'drivers: what they want': [
    '/apis/storage.k8s.io/v1/csidrivers',
    { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] } },
    [true, false, false, 'a,b', false, 'Persistent', age],
  ],
  'pod templates: containers and labels': [
    '/api/v1/namespaces/{}/podtemplates',
    { template },
    [...containers, 'app=a'],
  ],
  'replication controllers: wanted and there': [
    '/api/v1/namespaces/{}/replicationcontrollers',
    { spec: { replicas: 2, selector: { app: 'a' }, template } },
    [2, 0, 0, age, ...containers, 'app=a'],
  ],
  'jobs: completions': [
    '/apis/batch/v1/namespaces/{}/jobs',
    { spec: { completions: 3, suspend: true, template: jobTemplate } },
    ['Running', '0/3', '', age, ...containers, /./],
  ],
  'jobs: without completions, by parallelism': [
    '/apis/batch/v1/namespaces/{}/jobs',
    { spec: { parallelism: 4, suspend: true, template: jobTemplate } },
    ['Running', '0/1 of 4', '', age, ...containers, /./],
  ],
  'cron jobs: schedule': [
    '/apis/batch/v1/namespaces/{}/cronjobs',
    { spec: { schedule: '5 4 * * *', suspend: true, jobTemplate: { spec: { template: jobTemplate } } } },
    ['5 4 * * *', '<none>', 'True', 0, '<none>', age, ...containers, '<none>'],
  ],
  'revisions: their controller': [
    '/apis/apps/v1/namespaces/{}/controllerrevisions',
    {
      revision: 3,
      data: {},
      metadata: {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'b', uid: 'c', controller: true }],
      },
    },
    ['statefulset.apps/b', 3, age],
  ],
  'priority classes: value': [
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { value: 7 },
    [7, false, age, 'PreemptLowerPriority'],
  ],
  'runtime classes: handler': ['/apis/node.k8s.io/v1/runtimeclasses', { handler: 'runc' }, ['runc', age]],
  'webhooks: how many': [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    { webhooks: [webhook, { ...webhook, name: 'b.example.com' }] },
    [2, age],
  ],
  'policies: validations and parameters': [
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'true' }],
      },
    },
    [1, 'v1/ConfigMap', age],
  ],
  'bindings of policies: parameters': [
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    {
      spec: { policyName: 'p', validationActions: ['Deny'], paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } },
    },
    ['p', '*/x', age],
  ],
  'flow schemas: level and method': [
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9000 } },
    ['exempt', 9000, '<none>', age, '?'],
  ],
  'API services: who serves them': [
    '/apis/apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.things.example.com' },
      spec: {
        group: 'things.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { namespace: 'a', name: 'b' },
        insecureSkipTLSVerify: true,
      },
    },
    ['a/b', 'Unknown', age],
  ],
};

export const tableColumns: Area = {
  name: 'table columns',
  proves: ['X3'],
  cases: {
    'every built-in kind has its own columns': async (t) => {
      for (const [path, columns] of Object.entries(kinds)) {
        const answer = await t.get(path, { headers: table, query: { limit: 1 } });
        const { columnDefinitions } = answer.is(200) as unknown as { readonly columnDefinitions: readonly Column[] };
        answer.judge(columnDefinitions.map(described).join(', '), columns, path);
      }
    },

    'a default class says so behind its name': async (t) => {
      for (const [path, body] of [
        [
          '/apis/storage.k8s.io/v1/storageclasses',
          { provisioner: 'a.example.com', metadata: isDefault('storageclass') },
        ],
        [
          '/apis/networking.k8s.io/v1/ingressclasses',
          { spec: { controller: 'example.com/a' }, metadata: isDefault('ingressclass') },
        ],
      ] as const) {
        const object = { ...body, metadata: { ...body.metadata, name: 'conformance' } };
        const answer = await t.post(path, object, { headers: table, query: { dryRun: 'All' } });
        answer.is(201, { rows: [{ cells: (cells: unknown) => (cells as string[])[0] === 'conformance (default)' }] });
      }
    },

    'a scale is shown like an object': async (t) => {
      const path = deployments(await t.namespace());
      (await t.post(path, deployment('a', { replicas: 2 }))).is(201);
      (await t.get(`${path}/a/scale`, { headers: table })).is(200, {
        kind: 'Table',
        columnDefinitions: ['Name', 'Desired', 'Available', 'Age'].map((name) => ({ name, format: '' })),
        rows: [
          { cells: exactly(['a', 2, 0, age]), object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } },
        ],
      });
    },

    ...Object.fromEntries(
      Object.entries(rows).map(([sentence, [path, object, cells]]): [string, Area['cases'][string]] => [
        sentence,
        async (t) => {
          const place = path.includes('{}') ? path.replace('{}', await t.namespace()) : path;
          const metadata = { name: 'conformance', ...(object.metadata as Fields | undefined) };
          const answer = await t.post(place, { ...object, metadata }, { headers: table, query: { dryRun: 'All' } });
          answer.is(201, { kind: 'Table', rows: [{ cells: exactly([metadata.name, ...cells]) }] });
        },
      ]),
    ),
  },
};
