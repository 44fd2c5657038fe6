/**
 * The form in which objects are stored: without the managedFields that no reader needs, with parts that other states and
 * objects have, too, or changed by the owner's transform, and frozen while developing, so that a change to a shared object
 * throws where it is made.
 */
import { equalJson, type KubernetesObject, type ObjectMeta } from '@keelson/core';
import { takeCommonParts } from './common-parts.ts';
import { interningFieldSets } from './interning-field-sets.ts';
import { keepUnchangedParts, separateParts } from './unchanged-parts.ts';

export interface StoredFormOptions<T> {
  readonly managedFields: 'drop' | 'keep' | { readonly manager: string };
  readonly transform: ((object: T) => T) | undefined;
  readonly freeze: boolean;
}

/** Makes the stored form of an object, or throws when that has none. */
export type StoredForm<T> = (came: T, origin?: Origin<T>) => T;

interface Origin<T> {
  /** The stored form of the same object before. */
  readonly previous?: T | undefined;
  /** Others have the object, too: it is left as it is, and no part of it is stored. Any other may be changed. */
  readonly isShared?: boolean | undefined;
}

export function storedForm<T extends KubernetesObject>(options: StoredFormOptions<T>): StoredForm<T> {
  const { managedFields, transform, freeze } = options;
  // A transform may change all that it gets, so it gets no part of another state or object.
  const keepSet = transform ? (set: object) => structuredClone(set) : interningFieldSets();
  /** What the next new object is compared with, whatever became of it: one object for each informer. */
  let newest: T | undefined;
  return (came, { previous, isShared = false } = {}) => {
    requireIdentity(came);
    const object = isShared ? { ...came, metadata: { ...came.metadata } } : came;
    const before = !transform && previous?.metadata.uid === object.metadata.uid ? previous : undefined;
    if (managedFields !== 'keep' && object.metadata.managedFields !== undefined) {
      // A new object, since deleting a property would put the old one into V8's slow mode for good.
      const { managedFields: entries, ...metadata } = object.metadata;
      (object as { metadata: ObjectMeta }).metadata =
        managedFields === 'drop'
          ? metadata
          : { ...metadata, ...own(entries, managedFields.manager, keepSet, before?.metadata.managedFields) };
    }
    if (before) keepUnchangedParts(object, before);
    if (isShared) separateParts(object, came);
    if (!transform && !before) {
      if (newest) takeCommonParts(object, newest);
      newest = object;
    }
    const stored = transform ? transformed(object, transform) : object;
    return freeze ? deepFreeze(stored) : stored;
  };
}

/** Without these, an object can neither be found again nor be told from an older or another one. */
function requireIdentity({ metadata }: Partial<KubernetesObject>): void {
  if (typeof metadata?.name === 'string' && metadata.name !== '' && typeof metadata.resourceVersion === 'string')
    return;
  throw new TypeError('it has no name or resourceVersion');
}

function transformed<T extends KubernetesObject>(object: T, transform: (object: T) => T): T {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  let stored: T;
  try {
    stored = transform(object);
  } catch (error) {
    throw new Error('its transform failed', { cause: error });
  }
  const kept: Partial<ObjectMeta> | undefined = stored?.metadata;
  const isSame = kept?.name === name && kept.namespace === namespace && kept.uid === uid;
  if (isSame && kept.resourceVersion === resourceVersion) return stored;
  throw new TypeError('its transform changed its name, namespace, uid or resourceVersion');
}

type Entries = NonNullable<ObjectMeta['managedFields']>;

/**
 * What one manager has applied, for the object and for each subresource. A set that is equal to the one before is that one,
 * whatever else changed: whoever remembers something of it knows it by identity.
 */
function own(
  entries: Entries | undefined,
  manager: string,
  keepSet: (set: object) => object,
  before: Entries = [],
): Pick<ObjectMeta, 'managedFields'> {
  const isOwn = (entry: Entries[number]) => entry.manager === manager && entry.operation === 'Apply';
  const kept = entries?.filter(isOwn) ?? [];
  if (kept.length === 0) return {};
  return {
    managedFields: kept.map((entry) => {
      const { subresource, fieldsV1 } = entry;
      if (!fieldsV1) return { ...entry }; // a server may say null for none
      const known = before.find((each) => isOwn(each) && each.subresource === subresource)?.fieldsV1;
      return { ...entry, fieldsV1: equalJson(known, fieldsV1) ? known : (keepSet(fieldsV1) as typeof fieldsV1) };
    }),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const name in value) deepFreeze(value[name]);
  return Object.freeze(value);
}
