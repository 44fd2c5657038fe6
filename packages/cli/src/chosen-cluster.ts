/**
 * The cluster of a kubeconfig that a command works on, and never one by accident.
 *
 * A kubeconfig's current context may be production. So a command that writes takes it only if the API server is on this
 * machine, by its address; any other cluster has to be named with `--context`.
 */
import { resolve } from 'node:path';
import { type Client, type ClusterConfig, connect, createClient, isOnThisMachine, loadConfig } from '@keelson/client';
import { CommandError } from './command-error.ts';
import type { ClusterFlags } from './flags.ts';
import { requireNewEnough } from './server-version.ts';
import type { Shell } from './shell.ts';

export interface ChosenCluster extends AsyncDisposable {
  readonly config: ClusterConfig;
  readonly client: Client;
}

/** For looking: whatever kubectl would take. */
export function readConfig({ kubeconfig, context }: ClusterFlags, { cwd, env }: Shell): Promise<ClusterConfig> {
  return loadConfig({ kubeconfig: kubeconfig && resolve(cwd, kubeconfig), context, env });
}

/** For changing: the same, if it is on this machine or named. */
export async function chosenConfig(flags: ClusterFlags, shell: Shell): Promise<ClusterConfig> {
  const config = await readConfig(flags, shell);
  if (flags.context !== undefined || isOnThisMachine(config)) return config;
  throw new CommandError(
    `${config.source} leads to ${config.server}, which is not on this machine`,
    'name it with --context <name> if you mean it',
  );
}

/** A client of the cluster that was chosen, once that is known to be new enough. Its field manager is `keelson`. */
export async function openCluster(flags: ClusterFlags, shell: Shell): Promise<ChosenCluster> {
  const config = await chosenConfig(flags, shell);
  const transport = connect(config, { env: shell.env });
  const client = createClient({ transport, fieldManager: 'keelson', onWarning: (text) => shell.err(`${text}\n`) });
  try {
    await requireNewEnough(client, config.server);
  } catch (error) {
    await transport[Symbol.asyncDispose]();
    throw error;
  }
  return { config, client, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}
