import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { kubernetesVersion } from '../../src/binaries/versions.ts';
import { layoutOf } from '../../src/cluster-directory/layout.ts';
import { findCluster } from '../../src/cluster-directory/record.ts';
import { availability, type Kubernetes, startKubernetes } from '../../src/index.ts';
import { until } from '../../src/machine/wait.ts';
import { recordedProcesses } from '../../src/processes/ledger.ts';
import { run } from '../../src/processes/run.ts';
import { kube as command, kubeInShell } from './kube-command.ts';

const available = await availability();
const only = { skip: available.available ? false : available.reason };

test('up, status, env, exec and down, as a person uses them', only, async (t) => {
  const name = 'e2e-control-plane';
  await command('down', '--name', name);
  t.after(() => command('down', '--name', name));

  const up = await command('up', '--name', name);
  assert.equal(up.code, 0, up.stderr);
  assert.match(up.stdout, new RegExp(`^Kubernetes ${kubernetesVersion} is up after \\d+\\.\\d s\\.$`, 'm'));
  t.diagnostic(up.stdout.split('\n')[0] ?? '');

  const again = await command('up', '--name', name);
  assert.deepEqual([again.code, again.stderr.split(';')[0]], [1, `Cluster "${name}" is already up`]);

  const env = await command('env', '--name', name);
  assert.match(env.stdout, /^export KUBECONFIG='[^']+'\nexport PATH='[^']+':"\$PATH"\n$/);
  const shell = `eval "$(${kubeInShell} env --name ${name})"; kubectl version -o json`;
  const versions = JSON.parse((await run(['sh', '-c', shell], { env: process.env })).stdout);
  assert.equal(versions.clientVersion.gitVersion, kubernetesVersion);
  assert.equal(versions.serverVersion.gitVersion, kubernetesVersion);

  const exec = (...words: string[]) => command('exec', '--name', name, '--', ...words);
  assert.equal((await exec('kubectl', 'get', '--raw', '/readyz')).stdout, 'ok');
  assert.equal((await exec('sh', '-c', 'exit 7')).code, 7);
  assert.equal((await exec('sh', '-c', 'kill -TERM $$')).code, 143);
  assert.equal((await exec('no-such-command')).code, 1);

  const status = await command('status', '--name', name);
  assert.equal(status.code, 0);
  assert.match(status.stdout, /^ {2}kube-apiserver +process \d+$/m);

  const { layout } = findCluster(name, process.env) ?? assert.fail();
  const processes = recordedProcesses(layout.ledger).map(({ identity }) => identity.pid);
  assert.equal(processes.length, 4);
  const addresses = processes.flatMap(listeningAddresses);
  assert.deepEqual(new Set(addresses), new Set(['0100007F']), 'all listen on 127.0.0.1 only');

  assert.equal((await command('down', '--name', name)).code, 0);
  assert.equal(findCluster(name, process.env), undefined);
  for (const pid of processes) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.equal((await command('status', '--name', name)).code, 1);
});

/** Addresses in the kernel's own notation: hexadecimal, the last part first. */
function listeningAddresses(pid: number): string[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
        return state === '0A' && sockets.has(`socket:[${inode}]`) ? [local?.split(':')[0] ?? ''] : [];
      }),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

let kube: Kubernetes;
if (available.available) {
  before(async () => {
    kube = await startKubernetes({ auditLog: true });
  });
  after(() => kube[Symbol.asyncDispose]());
}

/** The API server learns of roles and bindings by a watch of its own. */
async function allowed(kubeconfig: string, verb: string, resource: string): Promise<void> {
  await until(
    async () => {
      const { stdout } = await kube.kubectl('auth', 'can-i', verb, resource, '--kubeconfig', kubeconfig);
      return stdout.trim() === 'yes' ? true : undefined;
    },
    { clock: systemClock, what: `the right to ${verb} ${resource}`, deadlineMs: 300_000 },
  );
}

const configMap = (name: string, rest = '') => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
${rest}`;

test('namespaces can run pods at once: their service account is there', only, async () => {
  assert.equal((await kube.kubectl('get', 'serviceaccount', 'default')).code, 0);
});

test('RBAC is on: a user without rights is forbidden, with a role allowed, by user and by group', only, async () => {
  const alice = await kube.kubeconfigFor({ user: 'alice', groups: ['readers'] });
  const list = () => kube.kubectl('get', 'configmaps', '--kubeconfig', alice);
  assert.match((await list()).stderr, /User "alice" cannot list resource "configmaps"/);
  await kube.kubectl('create', 'rolebinding', 'readers', '--clusterrole=view', '--group=readers');
  await allowed(alice, 'list', 'configmaps');
  assert.equal((await list()).code, 0);
});

test('a service account is who its kubeconfig says', only, async () => {
  await kube.kubectl('create', 'serviceaccount', 'robot');
  const robot = await kube.kubeconfigFor({ serviceAccount: 'default/robot' });
  const who = await kube.kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}', '--kubeconfig', robot);
  assert.equal(who.stdout, 'system:serviceaccount:default:robot');
});

test('OwnerReferencesPermissionEnforcement is on', only, async () => {
  await kube.apply(configMap('owner'));
  const uid = (await kube.kubectl('get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}')).stdout;
  const role = ['create', 'role', 'editor', '--verb=create,get,patch', '--resource=configmaps'];
  assert.equal((await kube.kubectl(...role)).code, 0);
  await kube.kubectl('create', 'rolebinding', 'editor', '--role=editor', '--user=bob');
  const bob = await kube.kubeconfigFor({ user: 'bob' });
  await allowed(bob, 'create', 'configmaps');
  const owned = (name: string, blocks: boolean) =>
    run(['kubectl', 'apply', '--kubeconfig', bob, '-f', '-'], {
      env: kube.env,
      input: configMap(
        name,
        `  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${uid}, blockOwnerDeletion: ${blocks}}]\n`,
      ),
    });
  assert.match((await owned('blocking', true)).stderr, /cannot set blockOwnerDeletion/);
  assert.equal((await owned('harmless', false)).code, 0);
});

test('controllers run: a namespace is really deleted', only, async () => {
  assert.equal((await kube.kubectl('create', 'namespace', 'short-lived')).code, 0);
  const deleted = await kube.kubectl('delete', 'namespace', 'short-lived', '--timeout=5m');
  assert.equal(deleted.code, 0, deleted.stderr);
});

test('the audit log tells who asked for what', only, async () => {
  await kube.apply(configMap('audited'));
  const find = () => {
    const text = readFileSync(kube.auditLog ?? assert.fail(), 'utf8');
    const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
    const events = lines.map((line) => JSON.parse(line));
    return events.find(({ objectRef, verb }) => objectRef?.name === 'audited' && verb === 'create');
  };
  const found = await until(find, { clock: systemClock, what: 'an entry', deadlineMs: 300_000 });
  assert.equal(found.user.username, 'kubernetes-admin');
  assert.equal(found.responseStatus.code, 201);
  assert.equal(found.requestObject.metadata.name, 'audited');
});

test('a killed API server is away until it is restarted, and has forgotten nothing', only, async () => {
  await kube.apply(configMap('before-the-kill'));
  await kube.killApiServer();
  assert.match((await kube.kubectl('get', '--raw', '/readyz')).stderr, /refused/);
  await kube.restartApiServer();
  assert.equal((await kube.kubectl('get', 'configmap', 'before-the-kill')).code, 0);
});

test('a restarted API server is another process', only, async () => {
  const started = async () => {
    const { stdout } = await kube.kubectl('get', '--raw', '/metrics');
    return /^process_start_time_seconds (\S+)$/m.exec(stdout)?.[1];
  };
  const first = await started();
  await kube.restartApiServer();
  const second = await started();
  assert.ok(first !== undefined && second !== undefined);
  assert.notEqual(first, second);
});

test('a suspended API server keeps silent until it is resumed', only, async () => {
  kube.suspendApiServer();
  try {
    const asked = await kube.kubectl('get', '--raw', '/readyz', '--request-timeout=1s');
    assert.match(asked.stderr, /deadline exceeded|timeout/i);
  } finally {
    kube.resumeApiServer();
  }
  assert.equal((await kube.kubectl('get', '--raw', '/readyz')).stdout, 'ok');
});

test('compacting etcd makes old resource versions expire', only, async () => {
  await kube.apply(configMap('history'));
  const version = await kube.kubectl('get', 'configmap', 'history', '-o', 'jsonpath={.metadata.resourceVersion}');
  const listThen = () =>
    kube.kubectl('get', '--raw', `/api/v1/configmaps?resourceVersionMatch=Exact&resourceVersion=${version.stdout}`);
  await kube.kubectl('label', 'configmap', 'history', 'seen=yes');
  await kube.restartApiServer(); // its cache remembers recent versions; etcd alone decides after a restart
  assert.equal((await listThen()).code, 0);

  const revision = await kube.compactEtcd();
  assert.ok(revision > Number(version.stdout));
  await kube.restartApiServer();
  assert.match((await listThen()).stderr, /too old resource version|resource version is too old|compacted|Expired/i);
});

test(
  'a flag of the caller reaches the API server, and a wrong one is told with the reason from its log',
  only,
  async () => {
    await assert.rejects(startKubernetes({ apiServerFlags: ['--no-such-flag'] }), {
      message: /^kube-apiserver ended too early: Error: unknown flag: --no-such-flag/,
    });
  },
);

const programsOf = ({ directory }: Kubernetes) => recordedProcesses(layoutOf(directory).ledger).map(({ name }) => name);

test('without controllers nothing acts on its own', only, async () => {
  await using alone = await startKubernetes({ controllers: false });
  assert.deepEqual(programsOf(alone).sort(), ['etcd', 'kube-apiserver']);
  assert.equal((await alone.kubectl('create', 'namespace', 'stays')).code, 0);
  assert.equal((await alone.kubectl('delete', 'namespace', 'stays', '--wait=false')).code, 0);
  const phase = await alone.kubectl('get', 'namespace', 'stays', '-o', 'jsonpath={.status.phase}');
  assert.equal(phase.stdout, 'Terminating');
  assert.match((await alone.kubectl('get', 'serviceaccount', 'default')).stderr, /not found/);
});

test('controllers can be chosen, and a wrong name is told with the reason from its log', only, async () => {
  await using few = await startKubernetes({ controllers: ['namespace-controller'] });
  await few.kubectl('create', 'namespace', 'short-lived');
  assert.equal((await few.kubectl('delete', 'namespace', 'short-lived', '--timeout=5m')).code, 0);
  assert.match((await few.kubectl('get', 'serviceaccount', 'default')).stderr, /not found/);
  await assert.rejects(startKubernetes({ controllers: ['no-such'] }), {
    message: /^kube-controller-manager ended too early: .*no-such\\" is not in the list of known controllers/,
  });
});

test('the time to start is told', only, (t) => {
  t.diagnostic(`ready after ${kube.startupMs} ms`);
  assert.ok(kube.startupMs > 0);
});
