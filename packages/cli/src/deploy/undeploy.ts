/**
 * What `keelson undeploy` does: takes away what deploys have made, and what the operator made for itself.
 *
 * Promises: definitions and objects of their kinds stay unless the flag says otherwise, and then they go while the operator
 * still runs, which cleans up behind them. What is not from a deploy stays, and so does a namespace that has such things.
 * An interrupted call is finished by the next one.
 */
import { resourceNameOf } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { openCluster } from '../chosen-cluster.ts';
import { CommandError } from '../command-error.ts';
import { loadOperator } from '../operator-module.ts';
import { json } from '../print.ts';
import { progress, type Shell } from '../shell.ts';
import { along, definitionsOf, deleteDefinitions, type FoundDefinition, requireConsent } from '../uninstall.ts';
import { deployedObjects, lineOf, type ObjectResult, shortened } from './deployed.ts';
import type { UndeployFlags } from './flags.ts';
import { removeDeployed } from './remove-deployed.ts';

export async function undeploy(flags: UndeployFlags, shell: Shell): Promise<void> {
  const signal = shell.stopSignal();
  const { operator, kinds } = await loadOperator({ cwd: shell.cwd, operator: flags.operator });
  await using cluster = await openCluster(flags, shell);
  const client = cluster.client.with({ signal });
  const { server } = cluster.config;
  const results: ObjectResult[] = [];
  const tell = (each: ObjectResult) => {
    results.push(each);
    if (flags.output === 'text') shell.out(lineOf(each, shell));
  };
  try {
    const definitions = await definitionsOf(client, kinds.map(resourceNameOf));
    if (flags.definitions) await requireConsent(definitions, server, flags, shell);
    if (flags.definitions) await deleteDefinitions(client, definitions, flags.timeout);
    for (const each of definitions.filter(({ present }) => present !== undefined)) {
      tell(resultOf(each, flags.definitions ?? false));
    }
    const { objects, hidden } = await deployedObjects(client, operator.name);
    if (hidden.length > 0) {
      shell.err(`warning: you may not list ${shortened(hidden)}: what deploys made of these stays\n`);
    }
    progress(shell, `Taking ${operator.name} off ${server}`);
    const end = systemClock.monotonic() + flags.timeout * 1000;
    for (const each of await removeDeployed(client, { name: operator.name, kinds }, objects, { end, signal }))
      tell(each);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandError('it was stopped', 'call again, and it goes on from there');
  }
  if (flags.output === 'json') shell.out(json({ server, objects: results }));
  else if (!results.some(({ result }) => result === 'deleted')) {
    shell.out(`Nothing of ${operator.name} is deployed on ${server}.\n`);
  }
}

function resultOf({ name, present }: FoundDefinition, isDeleted: boolean): ObjectResult {
  const object = `CustomResourceDefinition ${name}`;
  const note = along({ objects: present?.objects?.length ?? null });
  if (isDeleted) return { object, result: 'deleted', note };
  const isConverted = present?.definition.spec.conversion?.strategy === 'Webhook';
  const until = isConverted ? '; until the next deploy nobody converts between its versions' : '';
  return { object, result: 'kept', note: `${note}${until}` };
}
