/** Exec, attach and logs of simulated pods by an unmodified kubectl, over the WebSockets that it speaks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { availability, kubectlEnvironment } from '@keelson/tools-kubernetes';

const found = await availability();
const program = 'kubectl';

test('kubectl goes into simulated pods, and a test answers', {
  skip: found.available ? false : `kubectl is needed: ${found.reason}`,
}, async (t) => {
  await using cluster = createCluster({ node: { readyAfterMs: 0, stopAfterMs: 0 } });
  await cluster.ready;
  await using door = await cluster.listen();
  const folder = mkdtempSync(join(tmpdir(), 'keelson-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, door.kubeconfig, { mode: 0o600 });
  const env = { ...(await kubectlEnvironment(kubeconfig)), HOME: folder };
  const kubectl = async (args: readonly string[], input = '') => {
    const child = spawn(program, ['--namespace', 'default', ...args], { env });
    const out = { code: 0, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (out.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (out.stderr += String(chunk)));
    child.stdin.end(input);
    out.code = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    return out;
  };
  await kubectl(['run', 'web', '--image=web:1']);
  const ready = (pod: string) => kubectl(['wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=5m']);
  await ready('web');

  const words =
    'The container web of pod web is simulated: no process runs, and nothing can be run in it; a test can answer: cluster.pods.onExec(…).\n';
  assert.deepEqual(await kubectl(['exec', 'web', '--', 'ls']), {
    code: 126,
    stdout: '',
    stderr: `${words}command terminated with exit code 126\n`,
  });

  cluster.pods.onExec(async ({ pod, command, stdin, stdout, stderr }) => {
    if (command[0] === 'fail') throw new Error('out of order');
    if (command[0] !== 'cat') return undefined;
    stderr.write(`${pod.metadata.name}:\n`);
    for await (const chunk of stdin) stdout.write(chunk);
    return command.length - 1;
  });
  assert.deepEqual(await kubectl(['exec', '-i', 'web', '--', 'cat'], 'one\ntwo\n'), {
    code: 0,
    stdout: 'one\ntwo\n',
    stderr: 'web:\n',
  });
  assert.equal((await kubectl(['exec', '-i', 'web', '--', 'cat', 'a', 'b'])).code, 2);
  assert.match((await kubectl(['exec', 'web', '--', 'fail'])).stderr, /out of order/);
  assert.equal((await kubectl(['exec', 'web', '--', 'ls'])).stderr.startsWith(words), true);
  assert.match(
    (await kubectl(['exec', 'web', '-c', 'other', '--', 'cat'])).stderr,
    /container other is not valid for pod web|container not found/,
  );

  const shown = await kubectl(['run', 'talk', '--image=web:1', '--restart=Never', '--', 'ignored']);
  assert.equal(shown.code, 0);
  /** What is heard by those who attach and follow before it speaks. On a busy machine a kubectl takes its time to. */
  const heard = async (seconds: number): Promise<readonly string[]> => {
    const pod = `speak-${seconds}`;
    const script = ['sh', '-c', `sleep ${seconds}; echo hello`];
    await kubectl(['run', pod, '--image=web:1', '--restart=Never', '--command', '--', ...script]);
    await ready(pod);
    const all = await Promise.all([kubectl(['attach', pod]), kubectl(['logs', '-f', pod])]);
    const [attached] = all;
    if (attached.stdout === '' && seconds < 60) return await heard(2 * seconds);
    return all.map(({ stdout }) => stdout);
  };
  assert.deepEqual(await heard(2), ['hello\n', 'hello\n']);

  const forwarded = await kubectl(['port-forward', 'pod/web', ':80']);
  assert.match(forwarded.stderr, /pods of this cluster are simulated, and nothing listens in them/);

  cluster.pods.onPortForward(async ({ pod, port, input, output }) => {
    if (port !== 80) throw new Error('connection refused');
    output.write(`${pod.metadata.name}:`);
    for await (const chunk of input) output.write(chunk);
  });
  const forwarding = spawn(program, ['--namespace', 'default', 'port-forward', 'pod/web', ':80', ':81'], { env });
  t.after(() => forwarding.kill());
  let said = '';
  let complained = '';
  forwarding.stderr.on('data', (chunk) => (complained += String(chunk)));
  const ports = await new Promise<readonly string[]>((resolve) => {
    forwarding.stdout.on('data', (chunk) => {
      said += String(chunk);
      const found = [...said.matchAll(/127\.0\.0\.1:(\d+) -> \d+\n/g)].map(([, port = '']) => port);
      if (found.length === 2) resolve(found);
    });
  });
  const echo = async (port = '', text: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(text);
    let heard = '';
    for await (const chunk of socket) heard += String(chunk);
    return heard;
  };
  const long = 'x'.repeat(300_000);
  assert.deepEqual(await Promise.all([echo(ports[0], 'one'), echo(ports[0], 'two'), echo(ports[0], long)]), [
    'web:one',
    'web:two',
    `web:${long}`,
  ]);
  const ended = once(forwarding, 'close');
  await echo(ports[1], 'three');
  await ended;
  assert.match(complained, /error forwarding port 81 to pod web, uid [0-9a-f-]+: connection refused/);

  const robot = ['--as', 'robot'];
  await kubectl(['create', 'role', 'looker', '--verb=get', '--resource=pods,pods/exec']);
  await kubectl(['create', 'rolebinding', 'looker', '--role=looker', '--user=robot']);
  const refused = await kubectl(['exec', 'web', ...robot, '--', 'cat']);
  assert.match(refused.stderr, /User "robot" cannot create resource "pods\/exec"/);
  await kubectl(['create', 'role', 'runner', '--verb=create', '--resource=pods/exec']);
  await kubectl(['create', 'rolebinding', 'runner', '--role=runner', '--user=robot']);
  assert.equal((await kubectl(['exec', 'web', ...robot, '--', 'cat'])).code, 0);
});
