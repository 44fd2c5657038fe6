/**
 * OLM v0 for tests: its two processes beside a cluster, and a catalogue of one operator that it is offered.
 *
 * It talks to the catalogue on this machine, and the manifests lie in there: no image of a bundle or of a catalogue is
 * needed.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts, kubectlEnvironment, peerProgram } from '@keelson/tools-kubernetes';
import { type Asked, kubectlIn } from './operator-in-pods.ts';
import { runKeelson } from './test-shell.ts';

const execute = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../', import.meta.url));

/** OLM, while it runs. */
export interface Olm extends AsyncDisposable {
  /** The last that its processes wrote. */
  log(): Promise<string>;
}

/** Teaches the cluster OLM's kinds, and runs OLM for all of its namespaces; `folder` is for its logs. */
export async function startOlm(kubeconfig: string, cluster: Asked, folder: string): Promise<Olm> {
  const module = join(checkout, 'tools/kubernetes/go/olm');
  const api = ['mod', 'download', '-json', 'github.com/operator-framework/api'];
  const { Dir } = JSON.parse((await execute('go', api, { cwd: module })).stdout) as { readonly Dir: string };
  await kubectlIn(cluster, 'apply', '--server-side', '--filename', join(Dir, 'crds'));
  await kubectlIn(cluster, 'wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
  await kubectlIn(cluster, 'create', 'namespace', 'olm');
  const env = {
    ...(await kubectlEnvironment(kubeconfig)),
    KUBECONFIG: kubeconfig,
    OPERATOR_NAMESPACE: 'olm',
    OPERATOR_NAME: 'olm-operator',
  };
  const flags = { olm: ['--namespace', 'olm'], catalog: ['--namespace', 'olm', '--kubeconfig', kubeconfig] };
  const running = await Promise.all(
    (['olm', 'catalog'] as const).map(async (name) => {
      const file = join(folder, `${name}.log`);
      const out = openSync(file, 'a');
      const child = spawn(await peerProgram(name), flags[name], { env, stdio: ['ignore', out, out] });
      closeSync(out);
      return { child, file };
    }),
  );
  return {
    log: async () =>
      (await Promise.all(running.map(async ({ file }) => (await readFile(file, 'utf8')).slice(-3000)))).join('\n'),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map(({ child }) => end(child)));
    },
  };
}

/** What OLM is offered of one operator. */
export interface Catalogue extends AsyncDisposable {
  /** Where it is served, as a CatalogSource names it. */
  readonly address: string;
  /** Adds a version by `keelson bundle`, which `opm validate` has to take, and serves what there is now. */
  offer(version: string, ...flags: readonly string[]): Promise<void>;
}

/** A catalogue of one of our operators, below `folder`, where a copy of its project is made. */
export async function startCatalogue(operator: string, folder: string): Promise<Catalogue> {
  const project = join(folder, operator);
  await mkdir(folder, { recursive: true });
  await cp(join(checkout, 'operators', operator), project, { recursive: true });
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const opm = await peerProgram('opm');
  const [port] = await freePorts('127.0.0.1', 1);
  const files = join(folder, 'catalogue');
  let served: ReturnType<typeof spawn> | undefined;
  const stop = async () => {
    if (served !== undefined) await end(served);
    served = undefined;
  };
  return {
    address: `127.0.0.1:${port}`,
    async offer(version, ...flags) {
      const argv = ['bundle', '--version', version, '--channels', 'stable', '--catalogue', files, ...flags];
      const { code, err } = await runKeelson(argv, { cwd: project });
      assert.deepEqual([code, err], [0, '']);
      await execute(opm, ['validate', files]);
      await stop();
      const cache = ['--cache-dir', join(folder, `cache-${version}`), '--cache-enforce-integrity=false'];
      const args = ['serve', files, '--port', String(port), '--pprof-addr', '127.0.0.1:0', ...cache];
      served = spawn(opm, args, { stdio: 'ignore' });
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
