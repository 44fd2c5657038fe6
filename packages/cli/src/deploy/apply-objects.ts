/**
 * Applies objects, once it is clear that all of them may be.
 *
 * Promises: whoever else holds one of them is named before anything is written. What an interrupted call has not applied
 * is applied by the next one.
 */
import type { Client, GroupVersionKind } from '@keelson/client';
import { isConflict, isNotFound, type KubernetesObject, keyOf } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { CommandError } from '../command-error.ts';
import { applyDefinitions } from '../install.ts';
import type { Deployable, FileObject } from './deployable.ts';
import { deployManager, isOurs, type ObjectResult, shortened } from './deployed.ts';
import { definitionHolder, type HeldField, heldFields, howToFree, installerOf, isOfOperator } from './owners.ts';
import { stepsTo } from './steps-to.ts';

export interface ApplyContext {
  /** Whose definitions are applied by the field manager of `keelson install`, and all else by that of deploys. */
  readonly client: Client;
  readonly operator: string;
  /** Whether fields that others have set are taken over. */
  readonly isForced: boolean;
}

export async function applyAll(
  { definitions, objects }: Pick<Deployable, 'definitions' | 'objects'>,
  context: ApplyContext,
  onApplied: (applied: ObjectResult) => void,
): Promise<readonly ObjectResult[]> {
  const { client } = context;
  const before = await requireFree({ definitions, objects }, context);
  const results: ObjectResult[] = [];
  const told = (applied: ObjectResult) => {
    results.push(applied);
    onApplied(applied);
  };
  const isNamespace = ({ kind }: FileObject) => kind === 'Namespace';
  for (const each of objects.filter(isNamespace)) told(await applyOne(each, before, context));
  for (const { name, result } of await applyDefinitions(client, definitions)) {
    told({ object: `CustomResourceDefinition ${name}`, result });
  }
  for (const each of objects.filter((one) => !isNamespace(one))) told(await applyOne(each, before, context));
  return results;
}

type Before = ReadonlyMap<FileObject, KubernetesObject>;

async function applyOne(object: FileObject, before: Before, { client, isForced }: ApplyContext): Promise<ObjectResult> {
  const existing = before.get(object);
  const named = `${object.kind} ${keyOf(object)}`;
  // Somebody else's namespace stays as it is: others work in it, and undeploy leaves it there.
  if (object.kind === 'Namespace' && existing !== undefined && !isOurs(existing.metadata)) {
    return { object: named, result: 'kept' };
  }
  const apply = (step: FileObject) =>
    client.apply(kindOf(object), step, { fieldManager: deployManager, force: isForced });
  const [first, ...more] = stepsTo(object, existing);
  let after = await apply(first);
  for (const step of more) after = await apply(step);
  if (existing === undefined) return { object: named, result: 'created' };
  const isSame = existing.metadata.resourceVersion === after.metadata.resourceVersion;
  return { object: named, result: isSame ? 'unchanged' : 'changed' };
}

/** What is there of it already. Throws if one of them is somebody else's. */
async function requireFree(
  { definitions, objects }: Pick<Deployable, 'definitions' | 'objects'>,
  context: ApplyContext,
): Promise<Before> {
  const before = new Map<FileObject, KubernetesObject>();
  const problems: Problem[] = [];
  for (const definition of definitions) {
    const existing = await context.client.find(CustomResourceDefinition, definition.metadata.name ?? '');
    if (existing === undefined) continue;
    const held = { ...context, isForced: false, operator: undefined, fieldManager: undefined };
    problems.push(...(await problemsOf(existing, { kind: CustomResourceDefinition, object: definition }, held)));
  }
  for (const object of objects) {
    const existing = await find(context.client, object, definitions);
    if (existing === undefined) continue;
    before.set(object, existing);
    if (object.kind === 'Namespace') continue;
    const held = { ...context, fieldManager: deployManager };
    const [first] = stepsTo(object, existing);
    problems.push(...(await problemsOf(existing, { kind: kindOf(object), object: first }, held)));
  }
  if (problems.length === 0) return before;
  const all = problems.map(({ text }) => text).join(', ');
  const next = problems.find(({ isFinal }) => isFinal)?.next ?? problems[0]?.next;
  throw new CommandError(`nothing was changed, since ${all}`, next);
}

interface Problem {
  readonly text: string;
  readonly next: string;
  /** Whether no flag helps. */
  readonly isFinal: boolean;
}

type Applicable = Parameters<Client['apply']>;

/** Who else holds an object that is there: by its labels, or by fields that an apply would have to take from somebody. */
async function problemsOf(
  existing: KubernetesObject,
  { kind, object }: { readonly kind: Applicable[0]; readonly object: Applicable[1] },
  {
    client,
    operator,
    isForced,
    fieldManager,
  }: Omit<ApplyContext, 'operator'> & {
    /** Absent for definitions, which have no label of an operator. */
    readonly operator: string | undefined;
    readonly fieldManager: string | undefined;
  },
): Promise<readonly Problem[]> {
  const named = `${existing.kind} ${keyOf(existing)}`;
  const installer = installerOf(existing);
  if (installer !== undefined) {
    return [{ text: `${named} belongs to ${installer}`, next: howToFree(existing), isFinal: true }];
  }
  if (isForced) return [];
  if (operator !== undefined && !isOfOperator(existing, operator)) {
    const next = 'see whose it is; --force-conflicts takes it over';
    return [{ text: `${named} is there and not of ${operator}`, next, isFinal: false }];
  }
  const { managedFields = [] } = existing.metadata;
  if (fieldManager !== undefined && managedFields.every(({ manager }) => manager === fieldManager)) return [];
  try {
    // The apply itself tells the warnings.
    await client.apply(kind, object, { fieldManager, dryRun: true, onWarning() {} });
    return [];
  } catch (error) {
    const held = isConflict(error) ? heldFields(error.status) : [];
    if (held.length === 0) throw error;
    if (operator === undefined) return [foreignDefinition(existing, held)];
    const fields = held.map(({ field, manager }) => `${field} (${manager})`);
    const next = 'whoever is named in brackets has set them; --force-conflicts takes them over';
    return [{ text: `${named} has fields that others have set (${shortened(fields)})`, next, isFinal: false }];
  }
}

/** No flag is named for it: whose objects these are, nobody can see from here. */
function foreignDefinition(existing: KubernetesObject, held: readonly HeldField[]): Problem {
  const fields = shortened(held.map(({ field }) => field));
  return {
    text: `CustomResourceDefinition ${keyOf(existing)} is held by ${definitionHolder(existing, held)}, with another ${fields}`,
    next:
      'if another operator serves this kind, take that one off first, since both would work on the same objects; ' +
      'if it is this one, installed otherwise, "keelson install" takes the definition over',
    isFinal: true,
  };
}

/** A kind that comes with this very deploy has no objects yet. */
async function find(
  client: Client,
  object: FileObject,
  definitions: Deployable['definitions'],
): Promise<KubernetesObject | undefined> {
  const kind = kindOf(object);
  const isNew = definitions.some(({ spec }) => spec.group === kind.group && spec.names.kind === kind.kind);
  try {
    return await client.find(kind, keyOf(object));
  } catch (error) {
    if (isNew && isNotFound(error)) return undefined;
    throw error;
  }
}

function kindOf({ apiVersion, kind }: FileObject): GroupVersionKind {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind };
}
