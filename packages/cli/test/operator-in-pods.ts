/**
 * An operator in the pods of a real cluster, however it was installed: what its pods, its metrics, its election and the
 * API server's record must show.
 *
 * Nothing here depends on speed: what must hold in the end is waited for.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { AuditEntry, Kubernetes } from '@keelson/tools-kubernetes';

/** Where it was installed, as what. */
export interface OperatorInPods {
  /** Its name, which its Deployment, its account and its Lease have. */
  readonly operator: string;
  readonly namespace: string;
  /** Where its Service answers with metrics. */
  readonly metricsPort: number;
  /** @default 2 */
  readonly replicas?: number;
  /** Roles that whoever installs it binds to its account unasked. They may be there, and not be used. @default [] */
  readonly boundUnasked?: readonly string[];
}

/** A cluster, as far as it is asked by kubectl. */
export type Asked = Pick<Kubernetes, 'kubectl'>;

/** kubectl's answer; it must succeed. */
export async function kubectlIn(kube: Asked, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kube.kubectl(...args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Ends when it holds; what must hold in the end may take its time on a slow machine. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  using limit = deadline(systemClock, 300_000, what);
  while (!(await holds())) await sleep(systemClock, 300, limit.signal);
}

/** Their start in the log, their user, their read-only root, and their metrics through the Service. */
export async function checkPods(kube: Kubernetes, place: OperatorInPods): Promise<void> {
  const { operator, namespace, metricsPort, replicas = 2 } = place;
  const of = ['--namespace', namespace, '--selector', 'app.kubernetes.io/component=manager'];
  const logs = await kubectlIn(kube, 'logs', ...of, '--tail=-1');
  assert.match(logs, /"msg":"Starting/);
  assert.match(logs, /leader/i);
  const named = await kubectlIn(kube, 'get', 'pods', ...of, '--output', 'jsonpath={.items[*].metadata.name}');
  const pods = named.split(' ');
  assert.equal(pods.length, replicas, named);
  const [pod = ''] = pods;
  const program =
    "console.log(process.getuid()); try { fs.writeFileSync('/x', '') } catch ({ code }) { console.log(code) }";
  const asked = await kube.podExec(`${namespace}/${pod}`, ['/usr/local/bin/node', '--eval', program]);
  assert.equal(asked.stdout, '65532\nEROFS\n', asked.stderr);
  const service = ['service', `${operator}-metrics`, '--namespace', namespace];
  const address = await kubectlIn(kube, 'get', ...service, '--output', 'jsonpath={.spec.clusterIP}');
  // Debian's busybox falls over -T.
  const wget = ['busybox', 'wget', '-q', '-O-', `http://${address}:${metricsPort}/metrics`] as const;
  await until(`metrics of ${operator}`, async () => {
    const { stdout } = await kube.runInPodNetwork(`${namespace}/${pod}`, wget);
    return /^leader_election_master_status\{name="[^"]+"\} [01]$/m.test(stdout);
  });
}

/** Ends the pod that leads, without a chance to give its Lease back, and returns when another one does. */
export async function replaceLeader(kube: Kubernetes, { operator, namespace }: OperatorInPods): Promise<void> {
  const there = ['--namespace', namespace];
  const holder = async () => {
    const lease = ['lease', operator, ...there, '--output', 'jsonpath={.spec.holderIdentity}'];
    const [pod = ''] = (await kubectlIn(kube, 'get', ...lease)).split('_');
    return pod;
  };
  await until('a leader', async () => (await holder()) !== '');
  const leader = await holder();
  await kubectlIn(kube, 'delete', 'pod', leader, ...there, '--grace-period=0', '--force');
  await until(`another leader than ${leader}`, async () => !['', leader].includes(await holder()));
  await kubectlIn(kube, 'rollout', 'status', `deployment/${operator}`, ...there, '--timeout=300s');
}

/** What every account may do: ask what there is, and what it may do itself. */
const everybodys = /^system:(basic-user|discovery|public-info-viewer|service-account-issuer-discovery)$/;

/**
 * What the operator did was done by its account alone, nothing that it asked for was refused, and what allowed it was a
 * role of its own; nothing else is bound to that account. The cluster was started with `auditLog: true`.
 */
export async function checkAudit(kube: Kubernetes, place: OperatorInPods): Promise<void> {
  const { operator, namespace, boundUnasked = [] } = place;
  const user = `system:serviceaccount:${namespace}:${operator}`;
  const text = await readFile(kube.auditLog ?? '', 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n'); // the last one may be half written
  const named = lines.filter((line) => line.includes(operator)).map((line) => JSON.parse(line) as AuditEntry);
  // A pod that was deleted by force runs on for a moment, with a token that is good for nobody any more.
  const isKnown = ({ responseStatus }: AuditEntry) => responseStatus?.code !== 401;
  const programs = named.filter((entry) => entry.userAgent === operator && isKnown(entry));
  assert.deepEqual([...new Set(programs.map((entry) => entry.user.username))], [user]);
  const own = named.filter((entry) => entry.user.username === user);
  // OwnerReferencesPermissionEnforcement learns of a new definition up to ten seconds late. The operator tries again.
  const isTooSoon = /cannot find RESTMapping/;
  assert.deepEqual(
    own.filter(({ responseStatus: { code, message = '' } = {} }) => code === 403 && !isTooSoon.test(message)),
    [],
  );
  const group = own.find(({ objectRef }) => objectRef?.subresource === 'status')?.objectRef?.apiGroup;
  assert.ok(group, 'it has written a status');
  const writers = lines
    .filter((line) => line.includes('"status"') && line.includes(group))
    .map((line) => JSON.parse(line) as AuditEntry)
    .filter(({ objectRef }) => objectRef?.subresource === 'status' && objectRef.apiGroup === group)
    .filter(isKnown);
  assert.deepEqual([...new Set(writers.map((entry) => entry.user.username))], [user]);

  // Whoever installs it may add something to its roles' names: `memcached-operator.v0.1.0-x1`.
  const isOfOperator = (role: string) => role === operator || new RegExp(`^${operator}[-.]`).test(role);
  const reasons = own.map(({ annotations }) => annotations?.['authorization.k8s.io/reason'] ?? '');
  const beyond = [...new Set(reasons)].filter((reason) => {
    const [, role = ''] = /^RBAC: allowed by .* of (?:Cluster)?Role "([^"]+)"/.exec(reason) ?? [];
    return !isOfOperator(role) && !everybodys.test(role);
  });
  assert.deepEqual(beyond, [], 'rights beyond the generated ones');
  const bound = await rolesBoundTo(kube, `${namespace}/${operator}`);
  assert.deepEqual(
    bound.filter((role) => !isOfOperator(role) && !boundUnasked.includes(role)),
    [],
  );
}

interface Bindings {
  readonly items: readonly {
    readonly roleRef: { readonly name: string };
    readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  }[];
}

async function rolesBoundTo(kube: Asked, account: string): Promise<readonly string[]> {
  const kinds = 'clusterrolebindings,rolebindings';
  const all = JSON.parse(await kubectlIn(kube, 'get', kinds, '--all-namespaces', '--output=json')) as Bindings;
  return all.items
    .filter(({ subjects = [] }) =>
      subjects.some(({ kind, name, namespace }) => kind === 'ServiceAccount' && `${namespace}/${name}` === account),
    )
    .map(({ roleRef }) => roleRef.name);
}

/**
 * Every object, as a line of kind, namespace and name, but for what the cluster itself makes as time goes by. `unlisted`
 * are resources that nobody can list, such as those whose conversion nobody answers.
 */
export async function everythingIn(kube: Asked, unlisted = /^$/): Promise<ReadonlySet<string>> {
  const kinds = (await kubectlIn(kube, 'api-resources', '--verbs=list', '--output=name')).trim().split('\n');
  const listed = kinds.filter((kind) => !/^(events|componentstatuses)\b/.test(kind) && !unlisted.test(kind));
  const columns = 'custom-columns=K:.kind,S:.metadata.namespace,N:.metadata.name';
  const all = ['--all-namespaces', '--no-headers', '--output', columns];
  const text = await kubectlIn(kube, 'get', listed.join(','), ...all);
  return new Set(
    text
      .trim()
      .split(/\s*\n/)
      .filter((line) => !/\skube-|kube-root-ca\.crt$|\sdefault$/.test(line)),
  );
}

/** Waits until nothing is there that was not there `before`, but for what `stays`. */
export async function nothingLeft(
  kube: Asked,
  before: ReadonlySet<string>,
  { stays = /^$/, unlisted }: { readonly stays?: RegExp; readonly unlisted?: RegExp } = {},
): Promise<void> {
  let left: readonly string[] = [];
  await until('what belonged to the operator', async () => {
    // A kind that was just deleted is discovered for a moment longer, and cannot be listed.
    const lines = await everythingIn(kube, unlisted).catch((error: Error) => [error.message]);
    left = [...lines].filter((line) => !before.has(line) && !stays.test(line));
    return left.length === 0;
  }).catch(() => assert.deepEqual(left, []));
}
