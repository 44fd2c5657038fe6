/**
 * What versions of a kind owe each other: one is stored, the hub is served, and nothing is lost between them.
 *
 * With the strategy `None`, the API server changes the apiVersion of an object and nothing else: what a version does not
 * name is pruned from objects that are read or written in it. So versions that differ in their fields lose data, and
 * their author has to say that this is meant.
 */
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinitionField } from '../from-zod/definition-field.ts';
import type { KindDefinition } from './definition.ts';

/** Refuses versions of which none or several are stored, and a hub that nobody could see. */
export function refuseVersions({ hub, versions }: KindDefinition, at: DefinitionField): void {
  const stored = Object.keys(versions).filter((name) => versions[name]?.storage);
  if (stored.length !== 1)
    at.refuse(`objects are stored in one version, not in ${stored.join(' and ') || 'none'}: say storage: true once`);
  if (versions[hub] === undefined) at.refuse(`the hub ${hub} is none of them`);
  else if (versions[hub].served === false)
    at.refuse(`the hub ${hub} is not served, so that no controller could see it`);
}

/** Refuses versions between which fields would be lost, unless the author said so. */
export function refuseLoss(
  { conversion }: KindDefinition,
  versions: readonly CustomResourceDefinitionVersion[],
  at: DefinitionField,
): void {
  if (conversion === 'None') return;
  // In a version that is neither served nor stored nobody writes; objects that were once stored in it may still be read.
  const written = versions.filter(({ served, storage }) => served || storage);
  for (const [to, from] of written.flatMap((each) => versions.map((other) => [each, other] as const))) {
    const lost = [...lostFields(from.schema?.openAPIV3Schema ?? {}, to.schema?.openAPIV3Schema ?? {}, '')];
    if (lost.length === 0) continue;
    at.field(to.name).refuse(
      `it lacks ${lost.join(', ')} of ${from.name}, so that a write in ${to.name} loses that, and there are no conversions yet: define it in both, or accept the loss with conversion: 'None'`,
    );
  }
}

/** The fields of `from` that `to` does not have, or has with another type. */
function* lostFields(from: JSONSchemaProps, to: JSONSchemaProps, path: string): Generator<string> {
  const keepsUnknown = to['x-kubernetes-preserve-unknown-fields'] === true;
  if (keepsUnknown && to.type === undefined) return;
  if (from.type !== to.type) {
    yield `${path} (${from.type ?? 'of any type'})`;
    return;
  }
  const others = to.additionalProperties as JSONSchemaProps | undefined;
  for (const [name, field] of Object.entries(from.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    const counterpart = to.properties?.[name] ?? others;
    if (counterpart !== undefined) yield* lostFields(field, counterpart, at);
    else if (!keepsUnknown) yield at;
  }
  if (from.items !== undefined) {
    yield* lostFields(from.items as JSONSchemaProps, (to.items ?? {}) as JSONSchemaProps, `${path}[]`);
  }
  const values = from.additionalProperties as JSONSchemaProps | undefined;
  const isOpen = values !== undefined || from['x-kubernetes-preserve-unknown-fields'] === true;
  if (values !== undefined && others !== undefined) yield* lostFields(values, others, `${path}.*`);
  else if (isOpen && !keepsUnknown) yield `${path}.*`;
}
