/** Says before anything else that the definitions of an operator's kinds are not on the cluster, and how they get there. */
import { connect, createClient, createDiscovery } from '@keelson/client';
import { isOptional } from '@keelson/core';
import { readConfig } from './chosen-cluster.ts';
import { CommandError } from './command-error.ts';
import type { ClusterFlags } from './flags.ts';
import type { OperatorModule } from './operator-module.ts';
import type { Shell } from './shell.ts';

/** Asks discovery, which everybody may read. Only kinds that are reconciled matter, and not optional ones. */
export async function requireDefinitions(
  { operator, kinds }: OperatorModule,
  flags: ClusterFlags,
  shell: Shell,
): Promise<void> {
  const config = await readConfig(flags, shell);
  await using transport = connect(config, { env: shell.env });
  const discovery = createDiscovery(createClient({ transport, fieldManager: 'keelson' }));
  const reconciled = kinds.filter((kind) =>
    operator.controllers.some((each) => each.for === kind && !isOptional(each.for)),
  );
  const found = await Promise.all(reconciled.map((kind) => discovery.find(kind)));
  const missing = reconciled.filter((_, i) => found[i] === undefined).map((each) => `${each.resource}.${each.group}`);
  if (missing.length === 0) return;
  const is = missing.length === 1 ? 'is' : 'are';
  const next = `"keelson install" does that, and there is nothing to plan until then`;
  throw new CommandError(`${missing.join(' and ')} ${is} not installed on ${config.server}`, next);
}
