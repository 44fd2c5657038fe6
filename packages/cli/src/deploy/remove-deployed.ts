/**
 * Takes off a cluster what deploys have made: the objects that were looked at, and none that somebody has put in their
 * place meanwhile. A namespace stays while something else is in it.
 */
import type { Client } from '@keelson/client';
import {
  isConflict,
  isNotFound,
  type Kind,
  metadataOf,
  parseKey,
  resourceNameOf,
  sleep,
  webhookNames,
} from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { systemClock } from '@keelson/core/system';
import { Secret } from '@keelson/core/v1';
import { CommandError } from '../command-error.ts';
import { type DeployedObject, nameOf, type ObjectResult, othersIn, shortened } from './deployed.ts';

const pollMs = 200;

/** Those that would refuse or delay the requests of others while nobody answers them go first. */
const inTheWay = /^(Mutating|Validating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/;

/** Whose objects are removed. */
interface RemovedOperator {
  readonly name: string;
  /** Its own: objects of these are their users', and stay even if they were deployed along with it. */
  readonly kinds: readonly Kind[];
  /** The namespace in which it goes on, with what it made there for itself. */
  readonly runsIn?: string;
}

/** Deletes what a deploy has made, and what the operator made for itself beside it; resolves when it is gone. */
export async function removeDeployed(
  client: Client,
  operator: RemovedOperator,
  found: readonly DeployedObject[],
  limit: { readonly end: number; readonly signal: AbortSignal },
): Promise<readonly ObjectResult[]> {
  const isNamespace = ({ kind }: DeployedObject) => kind.kind === 'Namespace';
  const isUsers = ({ kind }: DeployedObject) =>
    operator.kinds.some((own) => resourceNameOf(own) === resourceNameOf(kind));
  const isDeployment = ({ kind }: DeployedObject) => kind.kind === 'Deployment';
  const first = found.filter(({ kind }) => inTheWay.test(kind.kind));
  const workloads = found.filter(isDeployment);
  const rest = found.filter(
    (each) => !first.includes(each) && !isDeployment(each) && !isNamespace(each) && !isUsers(each),
  );
  const removed: string[] = [];
  const remove = async (objects: readonly DeployedObject[]) => {
    removed.push(...(await removeObjects(client, objects)));
    await untilRemoved(client, objects, limit);
  };
  // Before anything goes: who may not see these would leave an operator at work whose webhooks are gone.
  const made = (await madeByOperator(client, operator, found)).map(nameOf);
  await remove(first);
  await remove(workloads);
  // What went with its Deployment is gone already; what an older version made has no owner.
  await remove(await madeByOperator(client, operator, found));
  removed.push(...made.filter((name) => !removed.includes(name)));
  await remove(rest); // last, since the next call knows by them in which namespace the operator was
  const results: ObjectResult[] = removed.map((object) => ({ object, result: 'deleted' }));
  const note = ', since objects of the kinds that it defines stay';
  for (const each of found.filter(isUsers)) results.push({ object: nameOf(each), result: 'kept', note });
  for (const namespace of found.filter(isNamespace)) {
    const why = await kept(client, namespace.key);
    if (why !== undefined) {
      results.push({ object: nameOf(namespace), result: 'kept', note: why });
      continue;
    }
    for (const object of await removeObjects(client, [namespace])) results.push({ object, result: 'deleted' });
    await untilRemoved(client, [namespace], limit);
  }
  return results;
}

/** Its Lease and the Secret of its certificates, in the namespace of its account. */
async function madeByOperator(
  client: Client,
  { name: operator, runsIn }: RemovedOperator,
  found: readonly DeployedObject[],
): Promise<readonly DeployedObject[]> {
  const namespaces = new Set(
    found
      .filter(({ kind }) => kind.kind === 'ServiceAccount' || kind.kind === 'Deployment')
      .flatMap(({ key }) => parseKey(key).namespace ?? [])
      .filter((namespace) => namespace !== runsIn),
  );
  const names = [
    [Lease, operator],
    [Secret, webhookNames({ name: operator }).secret],
  ] as const;
  const made: DeployedObject[] = [];
  for (const namespace of namespaces) {
    for (const [kind, name] of names) {
      const key = `${namespace}/${name}`;
      const object = await client.find(kind, key);
      if (object !== undefined) made.push({ kind, key, uid: object.metadata.uid });
    }
  }
  return made;
}

/** Deletes them with what they own, in this order; tells which there were. */
async function removeObjects(client: Client, objects: readonly DeployedObject[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const each of objects) {
    const { kind, key, uid } = each;
    try {
      // A Deployment is gone when its pods are.
      const propagationPolicy = kind.kind === 'Deployment' ? 'Foreground' : undefined;
      await client.delete(kind, key, { preconditions: { uid }, propagationPolicy });
      removed.push(nameOf(each));
    } catch (error) {
      // Another one of that name is not ours.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
  return removed;
}

/** Resolves when all of them are gone. */
async function untilRemoved(
  client: Client,
  objects: readonly DeployedObject[],
  { end, signal }: { readonly end: number; readonly signal: AbortSignal },
): Promise<void> {
  for (const each of objects) {
    for (;;) {
      const left = await client.find(metadataOf(each.kind), each.key);
      if (left === undefined || left.metadata.uid !== each.uid) break;
      if (systemClock.monotonic() >= end) {
        const { finalizers = [] } = left.metadata;
        const waits = finalizers.length > 0 ? `, and waits for ${finalizers.join(', ')}` : '';
        throw new CommandError(`${nameOf(each)} is not gone yet${waits}`, 'call again, and it goes on from there');
      }
      await sleep(systemClock, pollMs, signal);
    }
  }
}

/** Why a namespace stays; nothing, if it can go. */
async function kept(client: Client, namespace: string): Promise<string | undefined> {
  const { objects, hidden } = await othersIn(client, namespace);
  if (objects.length > 0) return `, which has ${shortened(objects.map(nameOf))}`;
  return hidden.length > 0 ? `: you may not see whether it has ${shortened(hidden)}` : undefined;
}
