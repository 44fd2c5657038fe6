/** Creation: what the server adds, what it ignores, and what it refuses. */
import type { Area, Proof } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import { exactly, resourceVersion, timestamp, uid } from '../match.ts';
import { configMap, lease } from '../objects.ts';
import { configMaps, leases, namespaces } from '../paths.ts';
import { alreadyExists, badRequest, type Cause, invalid, methodNotAllowed, notFound } from '../refusals.ts';

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const qualifiedNameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const twoControllers = ['b', 'c'].map((name) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `u-${name}`,
  controller: true,
}));

/** A ConfigMap with this metadata is refused for these causes. */
function refused(metadata: Readonly<Record<string, unknown>>, ...causes: readonly Cause[]): Proof {
  return async (t) => {
    const answer = await t.post(configMaps(await t.namespace()), configMap('a', {}, metadata));
    answer.refuses(invalid('ConfigMap', 'a', ...causes));
  };
}

/** A body is refused before it becomes an object. */
function unreadable(body: unknown, message: unknown): Proof {
  return async (t) => (await t.post(configMaps(await t.namespace()), body)).refuses(badRequest(message));
}

export const create: Area = {
  name: 'create',
  proves: ['C1', 'E1'],
  cases: {
    'answers 201 with the whole object': async (t) => {
      const namespace = await t.namespace();
      const answer = await t.post(configMaps(namespace), configMap('a', { key: '1' }, { labels: { app: 'x' } }));
      answer.is(
        201,
        exactly({
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: {
            name: 'a',
            namespace,
            uid,
            resourceVersion,
            creationTimestamp: timestamp,
            labels: { app: 'x' },
            managedFields: [
              {
                manager: 'conformance',
                operation: 'Update',
                apiVersion: 'v1',
                time: timestamp,
                fieldsType: 'FieldsV1',
                fieldsV1: {
                  'f:data': { '.': {}, 'f:key': {} },
                  'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
                },
              },
            ],
          },
          data: { key: '1' },
        }),
      );
      answer.has('content-type', 'application/json');
      (await t.get(`${configMaps(namespace)}/a`)).is(200, exactly(answer.body));
    },

    'kind and apiVersion may be left out of the body of a built-in kind': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { name: 'a' } });
      answer.is(201, { kind: 'ConfigMap', apiVersion: 'v1' });
    },

    'kind may not be left out of the body of a custom resource': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const body = '{"metadata":{"name":"a"}}';
      const message = `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '${body}' (${body})`;
      (await t.post(widget.in(namespace), body)).refuses(badRequest(message));
    },

    'an object that owns no fields has no managedFields': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { name: 'a' } });
      answer.is(201, { metadata: { managedFields: undefined }, data: undefined });
    },

    'a second object of the same name already exists': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.post(path, configMap('a'))).refuses(alreadyExists('configmaps', 'a'));
    },

    'a second object of the same name already exists, in a group': async (t) => {
      const path = leases(await t.namespace());
      (await t.post(path, lease('a'))).is(201);
      (await t.post(path, lease('a'))).refuses(alreadyExists('leases.coordination.k8s.io', 'a'));
    },

    'generateName becomes a name with five random characters, which are no vowels': async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.post(path, { metadata: { generateName: 'a-' } });
      answer.is(201, { metadata: { generateName: 'a-', name: /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/ } });
    },

    'a long generateName is cut to 58 characters': async (t) => {
      const generateName = 'g'.repeat(70);
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { generateName } });
      answer.is(201, { metadata: { generateName, name: /^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/ } });
    },

    'a name wins over generateName': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: { name: 'a', generateName: 'b-' } });
      answer.is(201, { metadata: { name: 'a', generateName: 'b-' } });
    },

    'a name or generateName is required': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), { metadata: {} });
      answer.refuses(
        invalid('ConfigMap', '', {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        }),
      );
    },

    'a name must be a DNS subdomain': async (t) => {
      (await t.post(configMaps(await t.namespace()), configMap('A_b'))).refuses(
        invalid('ConfigMap', 'A_b', {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "A_b": ${subdomainRule}`,
          field: 'metadata.name',
        }),
      );
    },

    'a name may not be longer than 253 characters': async (t) => {
      const name = 'n'.repeat(254);
      (await t.post(configMaps(await t.namespace()), configMap(name))).refuses(
        invalid('ConfigMap', name, {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "${name}": must be no more than 253 characters`,
          field: 'metadata.name',
        }),
      );
    },

    'keys of labels are checked': refused(
      { labels: { 'a b': 'c' } },
      { reason: 'FieldValueInvalid', message: `Invalid value: "a b": ${qualifiedNameRule}`, field: 'metadata.labels' },
    ),

    'values of labels are checked': refused(
      { labels: { a: '-' } },
      { reason: 'FieldValueInvalid', message: `Invalid value: "-": ${labelValueRule}`, field: 'metadata.labels' },
    ),

    'keys of annotations are checked': refused(
      { annotations: { 'a b': 'c' } },
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "a b": ${qualifiedNameRule}`,
        field: 'metadata.annotations',
      },
    ),

    'a finalizer needs a domain': refused(
      { finalizers: ['kaput'] },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "kaput": name is neither a standard finalizer name nor is it fully qualified',
        field: 'metadata.finalizers[0]',
      },
    ),

    'an owner reference must be complete': refused(
      { ownerReferences: [{ name: 'owner' }] },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "": version must not be empty',
        field: 'metadata.ownerReferences.apiVersion',
      },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "": must not be empty',
        field: 'metadata.ownerReferences.kind',
      },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "": must not be empty',
        field: 'metadata.ownerReferences.uid',
      },
    ),

    'only one owner reference may be the controller': refused(
      { ownerReferences: twoControllers },
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(twoControllers)}: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/b and ConfigMap/c`,
        field: 'metadata.ownerReferences',
      },
    ),

    'what only the server may say is ignored': async (t) => {
      const forged = '2001-01-01T00:00:00Z';
      const answer = await t.post(
        configMaps(await t.namespace()),
        configMap(
          'a',
          {},
          {
            uid: '00000000-0000-4000-8000-000000000000',
            creationTimestamp: forged,
            deletionTimestamp: forged,
            deletionGracePeriodSeconds: 5,
            selfLink: '/forged',
          },
        ),
      );
      const { metadata } = answer.is(201, {
        metadata: { uid, deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined, selfLink: undefined },
      });
      answer.judge(metadata.uid !== '00000000-0000-4000-8000-000000000000', true, 'a uid of the server');
      answer.judge(metadata.creationTimestamp !== forged, true, 'a creationTimestamp of the server');
    },

    // An internal error, although the fault is the client's.
    'a resourceVersion in the body is an internal error': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), configMap('a', {}, { resourceVersion: '5' }));
      answer.refuses({
        code: 500,
        reason: undefined,
        message: 'resourceVersion should not be set on objects to be created',
      });
    },

    'a namespace in the body must be that of the path': async (t) => {
      const answer = await t.post(configMaps(await t.namespace()), configMap('a', {}, { namespace: 'another' }));
      answer.refuses(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
    },

    'a body of another kind is a bad request': unreadable(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      /^Secret in version "v1" cannot be handled as a ConfigMap: /,
    ),

    'a body of an unknown version is a bad request': unreadable(
      { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
      /^ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme /,
    ),

    // Decoding does not mind, as it does with built-in kinds; validation does.
    'a custom resource of another kind is invalid': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      (await t.post(widget.in(namespace), { ...widget.object('a'), kind: 'Gadget' })).refuses(
        invalid(`Gadget.${widget.group}`, 'a', {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "Gadget": must be Widget',
          field: 'kind',
        }),
      );
    },

    'a custom resource of another version is a bad request': async (t) => {
      const namespace = await t.namespace();
      const widget = await widgets(t);
      const otherVersion = { ...widget.object('a'), apiVersion: `${widget.group}/v9` };
      (await t.post(widget.in(namespace), otherVersion)).refuses(
        badRequest(
          `the API version in the data (${widget.group}/v9) does not match the expected API version (${widget.apiVersion})`,
        ),
      );
    },

    'a body that ends too early is a bad request': unreadable(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}',
      /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: unexpected end of JSON input \(/,
    ),

    'a body that is no object is a bad request': unreadable(
      '[]',
      /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /,
    ),

    'a value of the wrong type is a bad request': unreadable(
      { metadata: { name: 'a' }, data: { key: 5 } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),

    'a body in YAML is accepted': async (t) => {
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: "1"\n';
      const answer = await t.post(configMaps(await t.namespace()), body, {
        headers: { 'content-type': 'application/yaml' },
      });
      answer.is(201, { metadata: { name: 'a' }, data: { key: '1' } });
    },

    'a body in a format that the server does not read is refused': async (t) => {
      const headers = { 'content-type': 'text/plain' };
      const path = configMaps(await t.namespace());
      (await t.post(path, '{"metadata":{"name":"a"}}', { headers })).refuses({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          /^the body of the request was in an unknown format - accepted media types include: application\/json, /,
      });
    },

    'a namespace that does not exist is not found': async (t) => {
      const nowhere = t.name('nowhere');
      (await t.post(configMaps(nowhere), configMap('a'))).refuses(notFound('namespaces', nowhere));
    },

    'a name in the path is not allowed': async (t) => {
      (await t.post(`${configMaps(await t.namespace())}/a`, configMap('a'))).refuses(methodNotAllowed);
    },

    'a namespaced kind cannot be created without a namespace in the path': async (t) => {
      (await t.post('/api/v1/configmaps', configMap('a', {}, { namespace: 'default' }))).refuses(methodNotAllowed);
    },

    'a cluster-scoped object has no namespace': async (t) => {
      const name = t.name('case');
      (await t.post(namespaces, { metadata: { name } })).is(201, { metadata: { name, namespace: undefined } });
    },
  },
};
