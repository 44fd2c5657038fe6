/** `keelson cluster controllers`: the controllers and the simulated node on an API server that has none of its own. */
import { readFile } from 'node:fs/promises';
import { type ClusterConfig, connect, createClient, loadConfig } from '@keelson/client';
import { controllerNames, createControllers, isControllerName } from '@keelson/cluster';
import { Namespace } from '@keelson/core/v1';
import { nodeOf, type PodFlags } from './cluster-pods.ts';
import { warnings } from './cluster-warnings.ts';

export interface ControllersFlags extends PodFlags {
  readonly kubeconfig: string;
  readonly only?: readonly string[];
}

export async function runControllers(flags: ControllersFlags, signal: AbortSignal): Promise<void> {
  const { kubeconfig, only } = flags;
  const names = (only ?? controllerNames).filter(isControllerName);
  const unknown = (only ?? []).filter((name) => !isControllerName(name));
  if (unknown.length > 0) {
    throw new Error(`there is no controller ${unknown.join(', ')}; there are: ${controllerNames.join(', ')}.`);
  }
  const node = await nodeOf(flags);
  const config = await loadConfig({ kubeconfig });
  await using transport = connect(config);
  // Asked once and waited for: a wrong address or wrong credentials would otherwise be retried in silence.
  await createClient({ transport, signal }).find(Namespace, 'default');
  const rootCa = await rootCaOf(config);
  const controllers = createControllers({ transport, only: names, rootCa, node, logger: warnings });
  const stopped = controllers.start(signal);
  await Promise.race([controllers.synced, stopped]);
  if (!signal.aborted) process.stdout.write(`Working on ${config.server}: ${names.join(', ')}\n`);
  await stopped;
}

async function rootCaOf({ tls }: ClusterConfig): Promise<string | undefined> {
  if (tls.ca === undefined) return undefined;
  return tls.ca.type === 'data' ? tls.ca.pem.reveal() : readFile(tls.ca.path, 'utf8');
}
