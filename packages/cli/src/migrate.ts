/** Migrates the objects of definitions one after the other, and says of each what was done. */
import { resourceNameOf } from '@keelson/core';
import { openCluster } from './chosen-cluster.ts';
import { CommandError, Discrepancy } from './command-error.ts';
import type { MigrateFlags } from './migrate-command.ts';
import { loadOperator } from './operator-module.ts';
import { json } from './print.ts';
import type { Shell } from './shell.ts';
import { type Migration, migrateDefinition } from './storage-migration.ts';

export async function migrate(named: readonly string[], flags: MigrateFlags, shell: Shell): Promise<void> {
  const names = named.length > 0 ? named : await ownDefinitions(flags, shell);
  await using cluster = await openCluster(flags, shell);
  const signal = shell.stopSignal();
  const migrations: Migration[] = [];
  for (const name of names) {
    try {
      const said = new Set<number>();
      const onProgress = (done: number, all: number) => {
        const tenth = Math.floor((10 * done) / all);
        if (said.has(tenth) || all < 100) return;
        said.add(tenth);
        shell.err(`${name}: ${done} of ${all} objects\n`);
      };
      migrations.push(await migrateDefinition(cluster.client, name, { signal, onProgress }));
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CommandError(`it was stopped in ${name}`, 'call again, and it goes on from there');
    }
  }
  if (flags.output === 'json') shell.out(json({ server: cluster.config.server, definitions: migrations }));
  else for (const each of migrations) shell.out(`${each.result.padEnd(9)}  ${each.name}${wordsOf(each)}\n`);
  const failed = migrations.filter(({ result }) => result === 'failed');
  if (failed.length === 0) return;
  for (const { name, failures = [] } of failed) {
    for (const each of failures.slice(0, most)) shell.err(`${name}: ${each.key}: ${each.message}\n`);
    if (failures.length > most) shell.err(`${name}: and ${failures.length - most} more\n`);
  }
  throw new Discrepancy();
}

const most = 10;

async function ownDefinitions({ operator }: MigrateFlags, { cwd }: Shell): Promise<readonly string[]> {
  const { kinds } = await loadOperator({ cwd, operator });
  return kinds.map(resourceNameOf);
}

function wordsOf({ storageVersion, storedVersions = [], objects = 0, rewritten = 0, result }: Migration): string {
  if (result === 'absent') return '';
  if (result === 'unchanged') return ` (${storageVersion})`;
  const counts = `${rewritten} of ${objects} ${objects === 1 ? 'object' : 'objects'} rewritten`;
  return ` (${storedVersions.join(', ')} → ${storageVersion}): ${counts}`;
}
