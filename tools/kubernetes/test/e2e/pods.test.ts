import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { imageArchive } from '../../src/images/image.ts';
import { availability, startKubernetes } from '../../src/index.ts';
import { run } from '../../src/processes/run.ts';
import { kube as command, kubeInShell } from './kube-command.ts';
import { assertUnchanged, machineState } from './machine-state.ts';
import { packages } from './packages.ts';

const available = await availability({ pods: true });
const only = { skip: available.available ? false : available.reason };

const memcached = `apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 3
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      securityContext: {runAsNonRoot: true}
      containers:
        - name: memcached
          image: memcached:1.6.26-alpine3.19
          imagePullPolicy: IfNotPresent
          command: [memcached, --memory-limit=64, -o, modern, -v]
          ports: [{containerPort: 11211}]
          securityContext:
            runAsUser: 1001
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL]}
---
apiVersion: v1
kind: Service
metadata: {name: cache}
spec:
  selector: {app: cache}
  ports: [{port: 11211}]
`;

const busybox = `apiVersion: v1
kind: Pod
metadata: {name: asker}
spec:
  containers:
    - {name: asker, image: 'busybox:stable', command: [sleep, '3600']}
`;

/** Asks the API server as a pod does that knows only its environment and its token. */
const askApiServer = `wget -q -O - --header "Authorization: Bearer $(cat /var/run/secrets/kubernetes.io/serviceaccount/token)" \
  "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT$0"`;

test('up --pods runs Deployments for real, and down leaves the machine as it was', only, async (t) => {
  const name = 'e2e-pods';
  await command('down', '--name', name);
  t.after(() => command('down', '--name', name));
  const before = await machineState();

  const up = await command('up', '--pods', '--name', name);
  assert.equal(up.code, 0, up.stderr);
  t.diagnostic(up.stdout.split('\n')[0] ?? '');
  const shell = async (script: string, input?: string) => {
    const text = `eval "$(${kubeInShell} env --name ${name})"; ${script}`;
    const { code, stdout, stderr } = await run(['sh', '-c', text], { env: process.env, input });
    assert.equal(code, 0, stderr);
    return stdout;
  };

  const nodes = (await shell('kubectl get nodes --no-headers')).trim().split('\n');
  assert.equal(nodes.length, 1);
  assert.match(nodes[0] ?? '', /^keelson +Ready /);

  await shell('kubectl apply -f -', `${memcached}---\n${busybox}`);
  await shell('kubectl rollout status deployment/cache --timeout=5m');
  assert.match(await shell('kubectl get deployment cache --no-headers'), /^cache +3\/3 /);

  const { directory } = await packages();
  const [pod = assert.fail()] = memcachedProcesses();
  const busyboxProgram = join(directory, 'bin/busybox');
  const asked = await run(['nsenter', `--target=${pod}`, '--net', busyboxProgram, 'nc', '127.0.0.1', '11211'], {
    input: 'version\r\nquit\r\n',
  });
  assert.match(asked.stdout, /^VERSION \d/, asked.stderr);

  await shell('kubectl wait --for=condition=Ready pod/asker --timeout=5m');
  const version = JSON.parse(await shell('kubectl exec asker -- wget -q -O - https://10.96.0.1/version 2>/dev/null'));
  assert.equal(version.major, '1');

  assert.equal((await command('down', '--name', name)).code, 0);
  await assertUnchanged(before);
});

/** Processes of this machine, seen from outside the node. */
function memcachedProcesses(): string[] {
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, 'utf8').startsWith('memcached\0');
    } catch {
      return false;
    }
  });
}

test('a test reaches into pods, and pods reach services and the API server', only, async (t) => {
  const before = await machineState();
  {
    await using kube = await startKubernetes({ pods: true });
    t.diagnostic(`ready after ${kube.startupMs} ms`);
    await kube.apply(`${memcached}---\n${busybox}`);
    const ready = await kube.kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=5m');
    assert.equal(ready.code, 0, ready.stderr);
    const podOf = async (label: string) =>
      (await kube.kubectl('get', 'pods', '-l', label, '-o', 'jsonpath={.items[0].metadata.name}')).stdout;

    const input = 'version\r\nquit\r\n';
    const pod = `default/${await podOf('app=cache')}`;
    const inPod = await kube.runInPodNetwork(pod, ['busybox', 'nc', '127.0.0.1', '11211'], { input });
    assert.match(inPod.stdout, /^VERSION \d/, inPod.stderr);
    await assert.rejects(kube.runInPodNetwork('default/nobody', ['true']), RangeError);

    const address = await kube.kubectl('get', 'service', 'cache', '-o', 'jsonpath={.spec.clusterIP}');
    const ask = `printf 'version\\r\\nquit\\r\\n' | nc ${address.stdout} 11211`;
    const throughService = await kube.podExec('default/asker', ['sh', '-c', ask]);
    assert.match(throughService.stdout, /^VERSION \d/, throughService.stderr);

    const allowed = await kube.podExec('default/asker', ['sh', '-c', askApiServer, '/api'], { container: 'asker' });
    assert.equal(JSON.parse(allowed.stdout).kind, 'APIVersions');
    const forbidden = await kube.podExec('default/asker', ['sh', '-c', askApiServer, '/api/v1/secrets']);
    assert.match(forbidden.stderr, /403 Forbidden/);

    const archive = join(kube.directory, 'hello.tar');
    const { directory } = await packages();
    const content = readFileSync(join(directory, 'bin/busybox'));
    const layer = [{ type: 'file', name: 'busybox', content, mode: 0o755 }] as const;
    const command = ['/busybox', 'echo', 'hello'];
    writeFileSync(archive, imageArchive({ tags: ['keelson.example/hello:v1'], layer, command }));
    await kube.importImage(archive);
    await kube.kubectl('run', 'hello', '--image=keelson.example/hello:v1', '--restart=Never');
    await kube.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/hello', '--timeout=5m');
    assert.equal((await kube.kubectl('logs', 'hello')).stdout, 'hello\n');
  }
  await assertUnchanged(before);
});
