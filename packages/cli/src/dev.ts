/** `keelson dev`: on a cluster of its own, where the operator has its own role, or on another that was named. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keelson/client';
import { openCluster } from './chosen-cluster.ts';
import { withCluster } from './cluster-start.ts';
import { UsageError } from './command-error.ts';
import type { DevFlags } from './dev-command.ts';
import { DevLoop, type Workplace } from './dev-loop.ts';
import { applyRole, operatorKubeconfig } from './dev-role.ts';
import { devWebhooks } from './dev-webhooks.ts';
import { findOperator } from './operator-module.ts';
import { environmentFor } from './run-operator.ts';
import type { Shell } from './shell.ts';

export interface DevOptions extends DevFlags {
  /** For the operator itself. */
  readonly argv: readonly string[];
}

export async function dev(options: DevOptions, shell: Shell, signal: AbortSignal): Promise<void> {
  await findOperator({ cwd: shell.cwd, operator: options.operator }); // what is not there is better known now
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dev-'));
  try {
    if (options.kubeconfig === undefined && options.context === undefined)
      await onOwnCluster(options, shell, folder, signal);
    else await onOtherCluster(options, shell, folder, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each process begins with what the one before it has compiled. */
const compiledIn = (folder: string) => ({ NODE_COMPILE_CACHE: join(folder, 'compiled') });

async function onOwnCluster(options: DevOptions, shell: Shell, folder: string, signal: AbortSignal): Promise<void> {
  const file = join(folder, 'kubeconfig');
  await withCluster(options, shell, signal, async ({ cluster, kubeconfig }) => {
    const client = createClient({ transport: cluster.transport, fieldManager: 'keelson', signal });
    const webhooks = await devWebhooks(folder);
    const workplace: Workplace = {
      client,
      env: { ...compiledIn(folder), ...shell.env, KUBECONFIG: file },
      webhooks,
      async admit(operator) {
        await applyRole(client, operator);
        await webhooks.configure(client, operator);
        await writeFile(file, operatorKubeconfig(kubeconfig, operator), { mode: 0o600 });
        return 'under its own role';
      },
    };
    await using loop = new DevLoop(workplace, options, shell);
    await loop.run(signal);
  });
}

async function onOtherCluster(options: DevOptions, shell: Shell, folder: string, signal: AbortSignal): Promise<void> {
  const misplaced = (['pods', 'images', 'port', 'writeKubeconfig'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (misplaced !== undefined) {
    const flag = misplaced === 'writeKubeconfig' ? 'write-kubeconfig' : misplaced;
    throw new UsageError(`--${flag} is for the cluster in this process`, 'leave it out, or --kubeconfig and --context');
  }
  await using cluster = await openCluster(options, shell);
  const { config } = cluster;
  shell.out(`Working on ${config.server}, by ${config.source}.\n`);
  const workplace: Workplace = {
    client: cluster.client.with({ signal }),
    env: { ...compiledIn(folder), ...(await environmentFor({ ...options, context: config.context }, shell, folder)) },
    admit: async () => 'as the user of the kubeconfig',
  };
  await using loop = new DevLoop(workplace, options, shell);
  await loop.run(signal);
}
