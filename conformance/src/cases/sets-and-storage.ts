/** StatefulSets, DaemonSets, their revisions, and storage: defaults, refusals, what may change, and what kubectl shows. */
import type { Area, Proof } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { age, exactly, including, timestamp } from '../match.ts';
import {
  controllerRevisions,
  daemonSets,
  endpointSlices,
  endpoints,
  persistentVolumeClaims,
  persistentVolumes,
  replicationControllers,
  statefulSets,
  storageClasses,
} from '../paths.ts';
import { type Cause, invalid } from '../refusals.ts';

/** Nothing is stored, so that no controller gets to see it. */
const dryRun = { query: { dryRun: 'All' } };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const metadata = { name: 'a' };
const selector = { matchLabels: { app: 'a' } };
const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
};
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const set = (spec: Fields = {}) => ({ metadata, spec: { replicas: 0, selector, template, ...spec } });

const value = (field: string, message: string) => ({ reason: 'FieldValueInvalid', message, field });
const required = (field: string, message = 'Required value') => ({ reason: 'FieldValueRequired', message, field });
const unsupported = (field: string, message: string) => ({ reason: 'FieldValueNotSupported', message, field });
const forbidden = (field: string, message: string) => ({ reason: 'FieldValueForbidden', message, field });

function refused(path: (namespace: string) => string, kind: string, body: Fields, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    (await t.post(path(await t.namespace()), body, dryRun)).refuses(invalid(kind, 'a', ...causes));
  };
}

const refusedSet = (spec: Fields, ...causes: readonly Cause[]) =>
  refused(statefulSets, 'StatefulSet.apps', set(spec), ...causes);
const refusedDaemon = (spec: Fields, ...causes: readonly Cause[]) =>
  refused(daemonSets, 'DaemonSet.apps', { metadata, spec: { selector, template, ...spec } }, ...causes);
const refusedClaim = (spec: Fields, ...causes: readonly Cause[]) =>
  refused(persistentVolumeClaims, 'PersistentVolumeClaim', { metadata, spec: { ...claimSpec, ...spec } }, ...causes);

export const setsAndStorage: Area = {
  name: 'sets and storage',
  proves: ['E1', 'X3'],
  cases: {
    'a StatefulSet is completed, and so are its claims': async (t) => {
      const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claimSpec }];
      const body = { metadata, spec: { selector, template, volumeClaimTemplates } };
      (await t.post(statefulSets(await t.namespace()), body, dryRun)).is(201, {
        metadata: { generation: 1 },
        spec: {
          replicas: 1,
          podManagementPolicy: 'OrderedReady',
          updateStrategy: exactly({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } }),
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          volumeClaimTemplates: [
            exactly({
              kind: 'PersistentVolumeClaim',
              apiVersion: 'v1',
              metadata: { name: 'data' },
              spec: { ...claimSpec, volumeMode: 'Filesystem' },
              status: { phase: 'Pending' },
            }),
          ],
        },
        status: exactly({ replicas: 0, availableReplicas: 0 }),
      });
    },

    'a StatefulSet forgets maxUnavailable, whose gate is closed': async (t) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
      const answer = await t.post(statefulSets(await t.namespace()), set({ updateStrategy }), dryRun);
      answer.is(201, { spec: { updateStrategy: { rollingUpdate: exactly({ partition: 0 }) } } });
    },

    'a StatefulSet with unknown policies is refused': refusedSet(
      { podManagementPolicy: 'Sometimes', persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } },
      value('spec.podManagementPolicy', `Invalid value: "Sometimes": must be 'OrderedReady' or 'Parallel'`),
      unsupported(
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled',
        'Unsupported value: "Keep": supported values: "Retain", "Delete"',
      ),
    ),

    'a StatefulSet with a negative start, a bad service name and no selector is refused': refusedSet(
      { ordinals: { start: -1 }, serviceName: 'A_b', selector: null },
      value('spec.ordinals.start', 'Invalid value: -1: must be greater than or equal to 0'),
      value(
        'spec.serviceName',
        `Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ),
      required('spec.selector'),
      value('spec.template.metadata.labels', 'Invalid value: {"app":"a"}: `selector` does not match template `labels`'),
    ),

    'a StatefulSet whose claims lack everything is refused': refusedSet(
      { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] },
      required('spec.volumeClaimTemplates[0].spec.accessModes', 'Required value: at least 1 access mode is required'),
      required('spec.volumeClaimTemplates[0].spec.resources[storage]'),
    ),

    'an update strategy OnDelete has no bounds': refusedSet(
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      value(
        'spec.updateStrategy.rollingUpdate',
        `Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
      ),
    ),

    'of a StatefulSet only a few fields may change': async (t) => {
      const path = statefulSets(await t.namespace());
      (await t.post(path, set())).is(201);
      const change = (spec: Fields) => t.mergePatch(`${path}/a`, { spec });
      (await change({ minReadySeconds: 3, revisionHistoryLimit: 3, ordinals: { start: 2 } })).is(200, {
        metadata: { generation: 2 },
      });
      for (const spec of [{ serviceName: 'b' }, { podManagementPolicy: 'Parallel' }]) {
        (await change(spec)).refuses(
          invalid(
            'StatefulSet.apps',
            'a',
            forbidden(
              'spec',
              "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
            ),
          ),
        );
      }
    },

    'the status of a StatefulSet adds up': async (t) => {
      const path = statefulSets(await t.namespace());
      (await t.post(path, set())).is(201);
      const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
      (await t.mergePatch(`${path}/a/status`, { status })).refuses(
        invalid(
          'StatefulSet.apps',
          'a',
          value('status.readyReplicas', 'Invalid value: 2: cannot be greater than status.replicas'),
          value('status.availableReplicas', 'Invalid value: 3: cannot be greater than status.replicas'),
          value('status.availableReplicas', 'Invalid value: 3: cannot be greater than status.readyReplicas'),
        ),
      );
    },

    'a StatefulSet has a scale': async (t) => {
      const path = statefulSets(await t.namespace());
      (await t.post(path, set({ replicas: 0 }))).is(201);
      (await t.get(`${path}/a/scale`)).is(200, {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: exactly({}),
        status: { replicas: 0, selector: 'app=a' },
      });
    },

    'a negative history limit is remarked upon': async (t) => {
      const answer = await t.post(statefulSets(await t.namespace()), set({ revisionHistoryLimit: -1 }), dryRun);
      answer.is(201);
      answer.has(
        'warning',
        '299 - "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"',
      );
    },

    'a DaemonSet is completed, and its template is counted': async (t) => {
      const path = daemonSets(await t.namespace());
      const nodeSelector = { 'example.com/nowhere': 'yes' };
      const nowhere = { ...template, spec: { ...template.spec, nodeSelector } };
      const annotation = 'deprecated.daemonset.template.generation';
      (await t.post(path, { metadata, spec: { selector, template: nowhere } })).is(201, {
        metadata: { generation: 1, annotations: { [annotation]: '1' } },
        spec: {
          updateStrategy: exactly({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }),
          revisionHistoryLimit: 10,
        },
        status: exactly({
          currentNumberScheduled: 0,
          numberMisscheduled: 0,
          desiredNumberScheduled: 0,
          numberReady: 0,
        }),
      });
      (await t.mergePatch(`${path}/a`, { spec: { minReadySeconds: 1 } })).is(200, {
        metadata: { generation: 2, annotations: { [annotation]: '1' } },
      });
      (await t.mergePatch(`${path}/a`, { spec: { template: { metadata: { labels: { more: 'x' } } } } })).is(200, {
        metadata: { generation: 3, annotations: { [annotation]: '2' } },
      });
    },

    'a DaemonSet that may neither surge nor be unavailable is refused': refusedDaemon(
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      required('spec.updateStrategy.rollingUpdate.maxUnavailable', 'Required value: cannot be 0 when maxSurge is 0'),
    ),

    'a DaemonSet that may do both is refused': refusedDaemon(
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: '10%' } } },
      value(
        'spec.updateStrategy.rollingUpdate.maxSurge',
        'Invalid value: "10%": may not be set when maxUnavailable is non-zero',
      ),
    ),

    'a ReplicationController takes selector and labels from its template, and has a scale': async (t) => {
      const path = replicationControllers(await t.namespace());
      (await t.post(path, { metadata, spec: { replicas: 0, template } })).is(201, {
        metadata: { generation: 1, labels: { app: 'a' } },
        spec: { selector: exactly({ app: 'a' }) },
        status: exactly({ replicas: 0 }),
      });
      (await t.get(`${path}/a/scale`)).is(200, { status: { replicas: 0, selector: 'app=a' } });
    },

    'a ReplicationController without a template is refused': refused(
      replicationControllers,
      'ReplicationController',
      { metadata, spec: { replicas: -1, minReadySeconds: -1 } },
      value('spec.minReadySeconds', 'Invalid value: -1: must be greater than or equal to 0'),
      required('spec.selector'),
      value('spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'),
      required('spec.template'),
    ),

    'a ReplicationController that does not select its pods is refused': refused(
      replicationControllers,
      'ReplicationController',
      { metadata, spec: { selector: { app: 'b' }, template } },
      value('spec.template.metadata.labels', 'Invalid value: {"app":"a"}: `selector` does not match template `labels`'),
    ),

    'a ControllerRevision keeps its data, and is shown with its owner': async (t) => {
      const path = controllerRevisions(await t.namespace());
      (await t.post(path, { metadata, revision: 1, data: { a: 1 } })).is(201);
      (await t.mergePatch(`${path}/a`, { revision: 2 })).is(200, { revision: 2, data: exactly({ a: 1 }) });
      (await t.get(`${path}/a`, { headers: table })).is(200, {
        columnDefinitions: [{ name: 'Name' }, { name: 'Controller' }, { name: 'Revision' }, { name: 'Age' }],
        rows: [{ cells: ['a', '<none>', 2, age] }],
      });
      (await t.post(path, { metadata: { name: 'b' }, revision: 1 })).refuses(
        invalid('ControllerRevision.apps', 'b', required('data', 'Required value: data is mandatory')),
      );
    },

    'a claim is completed and protected': async (t) => {
      const answer = await t.post(
        persistentVolumeClaims(await t.namespace()),
        { metadata, spec: { ...claimSpec, storageClassName: '' } },
        dryRun,
      );
      answer.is(201, {
        metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
        spec: exactly({ ...claimSpec, storageClassName: '', volumeMode: 'Filesystem' }),
        status: exactly({ phase: 'Pending' }),
      });
    },

    'a claim without modes or size is refused': refusedClaim(
      { accessModes: [], resources: {} },
      required('spec.accessModes', 'Required value: at least 1 access mode is required'),
      required('spec.resources[storage]'),
    ),

    'a claim with strange modes is refused': refusedClaim(
      { accessModes: ['ReadSometimes', 'ReadWriteOncePod', 'ReadWriteOnce'], volumeMode: 'Tape' },
      unsupported(
        'spec.accessModes',
        'Unsupported value: "ReadSometimes": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ),
      forbidden('spec.accessModes', 'Forbidden: may not use ReadWriteOncePod with other access modes'),
      unsupported('spec.volumeMode', 'Unsupported value: "Tape": supported values: "Block", "Filesystem"'),
    ),

    'a claim is shown with its phase and its class': async (t) => {
      const path = persistentVolumeClaims(await t.namespace());
      (await t.post(path, { metadata, spec: { ...claimSpec, storageClassName: 'nowhere' } })).is(201);
      (await t.get(`${path}/a`, { headers: table })).is(200, {
        columnDefinitions: [
          { name: 'Name' },
          { name: 'Status' },
          { name: 'Volume' },
          { name: 'Capacity' },
          { name: 'Access Modes' },
          { name: 'StorageClass' },
          { name: 'VolumeAttributesClass' },
          { name: 'Age' },
          { name: 'VolumeMode', priority: 1 },
        ],
        rows: [{ cells: ['a', 'Pending', '', '', '', 'nowhere', '<unset>', age, 'Filesystem'] }],
      });
    },

    'a volume is completed, protected, and says when its phase changed': async (t) => {
      const name = `conformance-${await t.namespace()}`;
      const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } };
      (await t.post(persistentVolumes, { metadata: { name }, spec }, dryRun)).is(201, {
        metadata: { finalizers: ['kubernetes.io/pv-protection'] },
        spec: exactly({
          ...spec,
          hostPath: { path: '/a', type: '' },
          persistentVolumeReclaimPolicy: 'Retain',
          volumeMode: 'Filesystem',
        }),
        status: exactly({ phase: 'Pending', lastPhaseTransitionTime: timestamp }),
      });
    },

    'a volume without anything is refused': async (t) => {
      const name = `conformance-${await t.namespace()}`;
      (await t.post(persistentVolumes, { metadata: { name }, spec: {} }, dryRun)).refuses(
        invalid(
          'PersistentVolume',
          name,
          required('spec.accessModes'),
          required('spec.capacity'),
          unsupported('spec.capacity', 'Unsupported value: null: supported values: "storage"'),
          required('spec', 'Required value: must specify a volume type'),
        ),
      );
    },

    'Endpoints with addresses that lead nowhere are refused': refused(
      endpoints,
      'Endpoints',
      { metadata, subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 0 }, { port: 1, name: 'b' }] }, {}] },
      value(
        'subsets[0].addresses[0].ip',
        'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ),
      required('subsets[0].ports[0].name'),
      value('subsets[0].ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'),
      required('subsets[1]', 'Required value: must specify `addresses` or `notReadyAddresses`'),
    ),

    'an EndpointSlice is completed, counted by content and labels, and keeps its type of address': async (t) => {
      const path = endpointSlices(await t.namespace());
      const body = { metadata, addressType: 'IPv4', endpoints: [], ports: [{ port: 80 }] };
      (await t.post(path, body)).is(201, {
        metadata: { generation: 1 },
        endpoints: null,
        ports: [exactly({ name: '', port: 80, protocol: 'TCP' })],
      });
      (await t.mergePatch(`${path}/a`, { metadata: { labels: { more: 'x' } } })).is(200, {
        metadata: { generation: 2 },
      });
      (await t.mergePatch(`${path}/a`, { addressType: 'IPv6' })).refuses(
        invalid(
          'EndpointSlice.discovery.k8s.io',
          'a',
          value('addressType', 'Invalid value: "IPv6": field is immutable'),
        ),
      );
    },

    'an EndpointSlice with addresses of another type is refused': refused(
      endpointSlices,
      'EndpointSlice.discovery.k8s.io',
      {
        metadata,
        addressType: 'IPv4',
        endpoints: [{ addresses: ['2001:db8::1'] }, { addresses: [] }, { addresses: ['here'] }],
      },
      value('endpoints[0].addresses', 'Invalid value: "2001:db8::1": must be an IPv4 address'),
      required('endpoints[1].addresses', 'Required value: must contain at least 1 address'),
      value(
        'endpoints[2].addresses[0]',
        'Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ),
    ),

    'a class is completed, and the default one says so': async (t) => {
      const name = `conformance-${await t.namespace()}`;
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      const answer = await t.post(
        storageClasses,
        { metadata: { name, annotations }, provisioner: 'example.com/p' },
        { ...dryRun, headers: table },
      );
      answer.is(201, {
        columnDefinitions: including({ name: 'VolumeBindingMode' }),
        rows: [{ cells: [`${name} (default)`, 'example.com/p', 'Delete', 'Immediate', false, age] }],
      });
    },

    'a class with unknown policies is refused': async (t) => {
      const name = `conformance-${await t.namespace()}`;
      const body = { metadata: { name }, provisioner: '', reclaimPolicy: 'Sell', volumeBindingMode: 'Later' };
      (await t.post(storageClasses, body, dryRun)).refuses(
        invalid(
          'StorageClass.storage.k8s.io',
          name,
          required('provisioner'),
          unsupported('reclaimPolicy', 'Unsupported value: "Sell": supported values: "Delete", "Retain"'),
          unsupported(
            'volumeBindingMode',
            'Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
          ),
        ),
      );
    },
  },
};
