/**
 * Takes a cluster down: ends what its record and ledger name, and removes what that leaves.
 *
 * Promises: works from any state that `up` can be in, killed included; touches nothing that is not on record;
 * doing it twice changes nothing.
 */
import { rmSync } from 'node:fs';
import { abandonedClusters, type Cluster } from '../cluster-directory/record.ts';
import type { Context } from '../machine/context.ts';
import { removeCgroups } from '../node/cgroups.ts';
import { interfaceGone } from '../node/network.ts';
import { closeLedger } from '../processes/ledger.ts';
import { bootId } from '../processes/process-table.ts';

export async function takeDown({ layout, record }: Cluster, { clock }: Pick<Context, 'clock'>): Promise<void> {
  if (record && record.bootId === bootId()) {
    // The node's process 1 is among these, and does not end before everything in its namespaces has.
    await closeLedger(layout.ledger, clock);
    await removeCgroups(record.cgroup, clock);
    await interfaceGone(record.macAddress, clock);
  }
  rmSync(layout.directory, { recursive: true, force: true });
}

/** Takes down the clusters of tests that were killed, and returns their names. */
export async function sweep(context: Pick<Context, 'env' | 'clock'>): Promise<string[]> {
  const abandoned = abandonedClusters(context.env);
  for (const cluster of abandoned) await takeDown(cluster, context);
  return abandoned.flatMap(({ record }) => record?.name ?? []);
}
