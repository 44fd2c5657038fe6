/** What an unmodified kubectl says about who one is and what one may, on the embedded cluster. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCluster } from '@keelson/cluster';
import { availability, kubectlEnvironment } from '@keelson/tools-kubernetes';

const found = await availability();
const program = 'kubectl';

test('kubectl asks what it may, acts as somebody else and gets tokens', {
  skip: found.available ? false : `kubectl is needed: ${found.reason}`,
}, async (t) => {
  await using cluster = createCluster();
  await cluster.ready;
  await using door = await cluster.listen();
  const folder = mkdtempSync(join(tmpdir(), 'keelson-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, door.kubeconfig, { mode: 0o600 });
  const env = { ...(await kubectlEnvironment(kubeconfig)), HOME: folder };
  const kubectl = (...args: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile(program, ['--namespace', 'default', ...args], { env }, (_, stdout, stderr) =>
        resolve(`${stdout}${stderr}`.trim()),
      );
    });
  const robot = 'system:serviceaccount:default:robot';

  await kubectl('create', 'serviceaccount', 'robot');
  await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods,pods/log');
  await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:robot');
  assert.match(await kubectl('get', 'rolebinding', 'reader', '-o', 'wide'), /Role\/reader +\w+ +default\/robot$/);

  assert.equal(await kubectl('auth', 'can-i', '*', '*'), 'yes');
  assert.equal(await kubectl('auth', 'can-i', 'list', 'pods', '--as', robot), 'yes');
  assert.equal(await kubectl('auth', 'can-i', 'get', 'pods', '--subresource=log', '--as', robot), 'yes');
  assert.equal(await kubectl('auth', 'can-i', 'list', 'secrets', '--as', robot), 'no');
  assert.match(await kubectl('auth', 'can-i', '--list', '--as', robot), /^pods +\[\] +\[\] +\[get list\]$/m);

  assert.equal(await kubectl('get', 'pods', '--as', robot), 'No resources found in default namespace.');
  assert.equal(
    await kubectl('get', 'secrets', '--as', robot),
    `Error from server (Forbidden): secrets is forbidden: User "${robot}" cannot list resource "secrets" in API group "" in the namespace "default"`,
  );
  assert.match(await kubectl('auth', 'whoami', '--as', 'jane', '--as-group', 'a', '--as-group', 'b'), /\[a b system:/);

  const token = await kubectl('create', 'token', 'robot', '--duration', '10m');
  const authority = join(folder, 'ca.crt');
  writeFileSync(authority, door.certificateAuthority);
  const asBearer = (bearer: string, ...args: readonly string[]) =>
    kubectl(
      '--kubeconfig',
      '/dev/null',
      '-s',
      door.url,
      '--certificate-authority',
      authority,
      '--token',
      bearer,
      ...args,
    );
  assert.match(await asBearer(token, 'auth', 'whoami'), new RegExp(`^Username +${robot}$`, 'm'));
  assert.equal(await asBearer(token, 'get', 'pods'), 'No resources found in default namespace.');
  assert.match(await asBearer('nonsense', 'get', 'pods'), /You must be logged in to the server \(Unauthorized\)$/);
  assert.match(
    await kubectl('create', 'token', 'robot', '--duration', '1m'),
    /may not specify a duration less than 10/,
  );
});
