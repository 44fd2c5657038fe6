/** A real API server, made ready for recording. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import { namespace, type Server } from './recording.ts';

/** Requests with the kubeconfig's certificate. */
export async function connect(kube: Kubernetes): Promise<Server & Disposable> {
  const config = JSON.parse((await kube.kubectl('config', 'view', '--raw', '-o', 'json')).stdout);
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const decode = (data: string) => Buffer.from(data, 'base64');
  const agent = new Agent({
    keepAlive: true,
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  });
  return {
    request: (method, path, contentType, body) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? '' : JSON.stringify(body);
        const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) };
        const outgoing = request(new URL(path, kube.server), { method, agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.startsWith('application/json');
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : { text } });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(payload);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** The namespace, the CRDs, and a policy that keeps the controllers' hands off what is recorded. */
export async function prepare(kube: Kubernetes, server: Server): Promise<void> {
  const crds = ['gadget', 'gizmo'].map((kind) => readFileSync(new URL(`./${kind}.crd.json`, import.meta.url), 'utf8'));
  await kube.apply(
    [JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }), ...crds, ...policy].join(
      '\n---\n',
    ),
  );
  for (const { spec } of crds.map((text) => JSON.parse(text) as Definition)) {
    for (const { name } of spec.versions.filter(({ served }) => served)) {
      const path = `/apis/${spec.group}/${name}/${spec.names.plural}`;
      await until(async () => (await server.request('GET', path, 'application/json')).status === 200);
    }
  }
  await until(async () => (await kube.kubectl('get', 'serviceaccount', 'default', '-n', namespace)).code === 0);
  const asController = [
    '--as=system:kube-controller-manager',
    '--as-group=system:masters',
    '-n',
    namespace,
    '--dry-run=server',
  ];
  await until(async () => {
    const { stderr } = await kube.kubectl('create', 'deployment', 'probe', '--image=x', ...asController);
    return stderr.includes('only recorded writes');
  });
}

const policy = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'only-recorded-writes' },
    spec: {
      matchConstraints: {
        resourceRules: ['', 'apps'].map((group) => ({
          apiGroups: [group],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE'],
          resources: group === '' ? ['pods', 'pods/*', 'services', 'services/*'] : ['*/*'],
        })),
      },
      validations: [
        {
          expression:
            "!request.userInfo.username.startsWith('system:kube-') && !request.userInfo.username.startsWith('system:serviceaccount:kube-system:')",
          message: 'only recorded writes',
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'only-recorded-writes' },
    spec: {
      policyName: 'only-recorded-writes',
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  },
].map((object) => JSON.stringify(object));

async function until(condition: () => Promise<boolean>): Promise<void> {
  using limit = deadline(systemClock, 300_000, 'the cluster to be prepared');
  while (!(await condition())) {
    limit.signal.throwIfAborted();
    await sleep(systemClock, 100);
  }
}
