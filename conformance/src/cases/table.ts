/** What kubectl shows: Table, and PartialObjectMetadata. Descriptions of columns are not judged. */
import type { Area } from '../case.ts';
import { define, definition, widgets } from '../custom-resources.ts';
import { age, exactly, resourceVersion, timestamp } from '../match.ts';
import { configMap, deployment, pod, service } from '../objects.ts';
import {
  configMaps,
  coreEvents,
  customResourceDefinitions,
  deployments,
  events,
  namespaces,
  pods,
  replicaSets,
  secrets,
  serviceAccounts,
  services,
} from '../paths.ts';
import { badRequest, notFound } from '../refusals.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const metadataList = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

const column = (name: string, type = 'string', priority = 0) => ({ name, type, format: '', priority });
const nameColumn = { ...column('Name'), format: 'name' };
const wide = (name: string, type = 'string') => column(name, type, 1);

/** A table with these columns and one row with these cells. */
function oneRow(columnDefinitions: readonly unknown[], cells: readonly unknown[]) {
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', columnDefinitions, rows: [{ cells }] };
}

const podColumns = [
  nameColumn,
  column('Ready'),
  column('Status'),
  column('Restarts'),
  column('Age'),
  wide('IP'),
  wide('Node'),
  wide('Nominated Node'),
  wide('Readiness Gates'),
];
const eventColumns = [
  column('Last Seen'),
  column('Type'),
  column('Reason'),
  column('Object'),
  wide('Subobject'),
  wide('Source'),
  column('Message'),
  wide('First Seen'),
  wide('Count'),
  { ...nameColumn, priority: 1 },
];

export const tables: Area = {
  name: 'table',
  proves: ['X3'],
  cases: {
    'pods: readiness, status, restarts': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      const containers = ['one', 'two'].map((name) => ({ name, image: 'example.com/main:1' }));
      (await t.post(pods(namespace), pod('a', { containers }))).is(201);
      const answer = await t.get(pods(namespace), { headers: table });
      answer.has('content-type', 'application/json');
      answer.is(200, oneRow(podColumns, ['a', '0/2', 'Pending', '0', age, '<none>', '<none>', '<none>', '<none>']));
    },

    'pods: running and ready ones, by their status': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a', { nodeName: 'conformance' }))).is(201);
      const status = {
        phase: 'Running',
        podIP: '192.0.2.7',
        podIPs: [{ ip: '192.0.2.7' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'main',
            ready: true,
            restartCount: 2,
            image: 'example.com/main:1',
            imageID: '',
            state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          },
        ],
      };
      (await t.mergePatch(`${pods(namespace)}/a/status`, { status })).is(200);
      const cells = ['a', '1/1', 'Running', '2', age, '192.0.2.7', 'conformance', '<none>', '<none>'];
      (await t.get(pods(namespace), { headers: table })).is(200, oneRow(podColumns, cells));
    },

    'pods: a waiting container gives its reason, a deletion shows as Terminating': async (t) => {
      const namespace = await t.namespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a', { nodeName: 'conformance' }))).is(201);
      const containerStatuses = [
        {
          name: 'main',
          ready: false,
          restartCount: 0,
          image: 'example.com/main:1',
          imageID: '',
          state: { waiting: { reason: 'ImagePullBackOff' } },
        },
      ];
      (await t.mergePatch(`${pods(namespace)}/a/status`, { status: { containerStatuses } })).is(200);
      (await t.get(`${pods(namespace)}/a`, { headers: table })).is(200, {
        rows: [{ cells: ['a', '0/1', 'ImagePullBackOff', '0', age, '<none>', 'conformance', '<none>', '<none>'] }],
      });
      (await t.delete(`${pods(namespace)}/a`)).is(200);
      (await t.get(`${pods(namespace)}/a`, { headers: table })).is(200, {
        rows: [{ cells: ['a', '0/1', 'Terminating', '0', age, '<none>', 'conformance', '<none>', '<none>'] }],
      });
    },

    'deployments: ready, up to date, available': async (t) => {
      const path = deployments(await t.namespace());
      // Dry, so that no controller gets to see it.
      const answer = await t.post(path, deployment('a'), { query: { dryRun: 'All' }, headers: table });
      answer.is(
        201,
        oneRow(
          [
            nameColumn,
            column('Ready'),
            column('Up-to-date'),
            column('Available'),
            column('Age'),
            wide('Containers'),
            wide('Images'),
            wide('Selector'),
          ],
          ['a', '0/3', 0, 0, age, 'main', 'example.com/main:1', 'app=a'],
        ),
      );
    },

    'replicasets: desired, current, ready': async (t) => {
      const { spec } = deployment('a');
      const body = { metadata: { name: 'a' }, spec: { replicas: 2, selector: spec.selector, template: spec.template } };
      const path = replicaSets(await t.namespace());
      (await t.post(path, body, { query: { dryRun: 'All' }, headers: table })).is(
        201,
        oneRow(
          [
            nameColumn,
            column('Desired', 'integer'),
            column('Current', 'integer'),
            column('Ready', 'integer'),
            column('Age'),
            wide('Containers'),
            wide('Images'),
            wide('Selector'),
          ],
          ['a', 2, 0, 0, age, 'main', 'example.com/main:1', 'app=a'],
        ),
      );
    },

    'namespaces: status': async (t) => {
      const name = await t.namespace();
      const query = { fieldSelector: `metadata.name=${name}` };
      (await t.get(namespaces, { query, headers: table })).is(
        200,
        oneRow([nameColumn, column('Status'), column('Age')], [name, 'Active', age]),
      );
    },

    'events: both APIs show the same': async (t) => {
      const namespace = await t.freshNamespace();
      const event = {
        metadata: { name: 'a' },
        involvedObject: { kind: 'Pod', namespace, name: 'p', fieldPath: 'spec.containers{main}' },
        reason: 'Started',
        message: 'It began.',
        type: 'Normal',
        source: { component: 'conformance', host: 'here' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-02T00:00:00Z',
        count: 3,
      };
      (await t.post(coreEvents(namespace), event)).is(201);
      const cells = [
        /^\d+d$|^\d+y\d*d?$/,
        'Normal',
        'Started',
        'pod/p',
        'spec.containers{main}',
        'conformance, here',
        'It began.',
        /^\d+d$|^\d+y\d*d?$/,
        3,
        'a',
      ];
      for (const path of [coreEvents(namespace), events(namespace)]) {
        (await t.get(path, { headers: table })).is(200, oneRow(eventColumns, cells));
      }
    },

    'custom resource definitions: when they were created': async (t) => {
      const widget = await widgets(t);
      (await t.get(`${customResourceDefinitions}/${widget.crd}`, { headers: table })).is(
        200,
        oneRow([nameColumn, column('Created At', 'date')], [widget.crd, timestamp]),
      );
    },

    'config maps, secrets, services and service accounts': async (t) => {
      const namespace = await t.namespace();
      (await t.post(configMaps(namespace), configMap('a', { one: '1', two: '2' }))).is(201);
      (await t.get(`${configMaps(namespace)}/a`, { headers: table })).is(
        200,
        oneRow([nameColumn, column('Data'), column('Age')], ['a', 2, age]),
      );
      (await t.post(secrets(namespace), { metadata: { name: 'a' }, stringData: { key: 'x' } })).is(201);
      (await t.get(`${secrets(namespace)}/a`, { headers: table })).is(
        200,
        oneRow([nameColumn, column('Type'), column('Data'), column('Age')], ['a', 'Opaque', 1, age]),
      );
      (await t.post(services(namespace), service('a'))).is(201);
      (await t.get(`${services(namespace)}/a`, { headers: table })).is(
        200,
        oneRow(
          [
            nameColumn,
            column('Type'),
            column('Cluster-IP'),
            column('External-IP'),
            column('Port(s)'),
            column('Age'),
            wide('Selector'),
          ],
          ['a', 'ClusterIP', /^[\d.]+$/, '<none>', '80/TCP', age, 'app=a'],
        ),
      );
      (await t.post(serviceAccounts(namespace), { metadata: { name: 'a' } })).is(201);
      (await t.get(`${serviceAccounts(namespace)}/a`, { headers: table })).is(
        200,
        oneRow([nameColumn, column('Age')], ['a', age]),
      );
    },

    'custom resources: their printer columns, absent values as null': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      (await t.post(path, widget.object('a', { spec: { size: 2, color: 'red' } }))).is(201);
      (await t.post(path, widget.object('b'))).is(201);
      const status = {
        phase: 'Ready',
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Available', status: 'True' },
        ],
      };
      (await t.mergePatch(`${path}/a/status`, { status })).is(200);
      (await t.get(path, { headers: table })).is(200, {
        kind: 'Table',
        columnDefinitions: [
          nameColumn,
          { ...column('Size', 'integer'), description: 'How many.' },
          column('Color'),
          column('Available'),
          wide('Phase'),
          column('Age', 'date'),
        ],
        rows: [{ cells: ['a', 2, 'red', 'True', 'Ready', age] }, { cells: ['b', 1, null, null, null, age] }],
      });
    },

    'custom resources without printer columns: name and age': async (t) => {
      const custom = await define(t, definition());
      const path = custom.in(await t.namespace());
      (await t.post(path, custom.object('a'))).is(201);
      (await t.get(path, { headers: table })).is(200, oneRow([nameColumn, column('Age', 'date')], ['a', age]));
    },

    'a row carries the metadata of its object': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const answer = await t.get(`${path}/a`, { headers: table });
      answer.is(200, {
        metadata: exactly({ resourceVersion: metadata.resourceVersion }),
        rows: [{ object: exactly({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }) }],
      });
    },

    'includeObject chooses between nothing, metadata and the object': async (t) => {
      const path = configMaps(await t.namespace());
      const created = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      const rowWith = async (includeObject: string, object: unknown) => {
        const answer = await t.get(`${path}/a`, { headers: table, query: { includeObject } });
        answer.is(200, { rows: [{ object }] });
      };
      await rowWith('None', null);
      await rowWith('Metadata', { kind: 'PartialObjectMetadata' });
      await rowWith('Object', exactly(created));
      (await t.get(`${path}/a`, { headers: table, query: { includeObject: 'Some' } })).refuses(
        badRequest(
          `Unable to convert to Table as requested: includeObject: Invalid value: "Some": must be 'Metadata', 'Object', 'None', or empty`,
        ),
      );
    },

    'a list has its resourceVersion and its continue token': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      for (const name of ['a', 'b', 'c']) (await t.post(path, widget.object(name))).is(201);
      (await t.get(path, { headers: table, query: { limit: 1 } })).is(200, {
        metadata: { resourceVersion, continue: /./, remainingItemCount: 2 },
        rows: [{}],
      });
    },

    'an empty list has no rows': async (t) => {
      const widget = await widgets(t);
      (await t.get(widget.in(await t.namespace()), { headers: table })).is(200, { kind: 'Table', rows: [] });
    },

    'a refusal stays a Status': async (t) => {
      const path = `${configMaps(await t.namespace())}/a`;
      (await t.get(path, { headers: table })).refuses(notFound('configmaps', 'a'));
    },

    'what kubectl accepts is given as a table': async (t) => {
      const accept =
        'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
      (await t.get(configMaps('default'), { headers: { accept } })).is(200, {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
      });
    },

    'a watch sends tables of one row, with the columns only in the first': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a', {}, { labels: { ours: 'yes' } }))).is(201);
      const watch = await t.watch(path, { labelSelector: 'ours' }, { headers: table });
      await watch.next({
        type: 'ADDED',
        object: {
          kind: 'Table',
          metadata: { resourceVersion },
          columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
          rows: [{ cells: ['a', 0, age], object: { metadata: { name: 'a' } } }],
        },
      });
      (await t.mergePatch(`${path}/a`, { data: { key: '1' } })).is(200);
      await watch.next({
        type: 'MODIFIED',
        object: { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['a', 1, age] }] },
      });
    },

    'PartialObjectMetadata is an object without the rest': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a', { key: '1' }))).is(201);
      (await t.get(`${path}/a`, { headers: metadataOnly })).is(
        200,
        exactly({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }),
      );
    },

    'PartialObjectMetadataList is a list of them': async (t) => {
      const widget = await widgets(t);
      const path = widget.in(await t.namespace());
      const { metadata } = (await t.post(path, widget.object('a'))).is(201);
      (await t.get(path, { headers: metadataList })).is(200, {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion },
        items: [exactly({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })],
      });
    },

    'a watch sends PartialObjectMetadata': async (t) => {
      const path = configMaps(await t.namespace());
      const { metadata } = (await t.post(path, configMap('a', { key: '1' }, { labels: { ours: 'yes' } }))).is(201);
      const watch = await t.watch(path, { labelSelector: 'ours' }, { headers: metadataOnly });
      const object = exactly({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
      await watch.next({ type: 'ADDED', object });
    },

    'one object is no list of metadata, and a list no single one': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const refusal = (message: RegExp) => ({ code: 406, reason: 'NotAcceptable', message });
      (await t.get(path, { headers: metadataOnly })).refuses(
        refusal(/^you requested PartialObjectMetadata, but the requested object is a list \(/),
      );
      (await t.get(`${path}/a`, { headers: metadataList })).refuses(
        refusal(/^you requested PartialObjectMetadataList, but the requested object is not a list \(/),
      );
    },
  },
};
