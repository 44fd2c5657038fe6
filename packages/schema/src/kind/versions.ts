/**
 * What versions of a kind owe each other: one is stored, the hub is served, and nothing is lost between them.
 *
 * With the strategy `None`, the API server changes the apiVersion of an object and nothing else: what a version does not
 * name is pruned from objects that are read or written in it. So versions that differ in their fields lose data, unless
 * the operator converts them, and their author has to say which of the two is meant.
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

/** Refuses conversions of what is no version, or is the hub, and such beside the word that there are none. */
export function refuseConversions(
  { hub, versions, conversion, conversions = {} }: KindDefinition,
  at: DefinitionField,
): void {
  for (const name of Object.keys(conversions)) {
    if (name === hub) at.field(name).refuse('it is the hub, to and from which the others convert: take it off');
    else if (versions[name] === undefined) at.field(name).refuse('it is none of the versions');
  }
  if (conversion === 'None' && Object.keys(conversions).length > 0)
    at.refuse("conversion: 'None' says that there are none: take one of the two off");
}

/** Refuses versions between which fields would be lost, unless they are converted or the author said so. */
export function refuseLoss(
  { hub, conversion, conversions }: KindDefinition,
  versions: readonly CustomResourceDefinitionVersion[],
  at: DefinitionField,
): void {
  if (conversion === 'None') return;
  const isConverted = (...names: readonly string[]) =>
    conversions !== undefined && (!names.includes(hub) || names.some((name) => conversions[name] !== undefined));
  // In a version that is neither served nor stored nobody writes; objects that were once stored in it may still be read.
  const written = versions.filter(({ served, storage }) => served || storage);
  for (const [to, from] of written.flatMap((each) => versions.map((other) => [each, other] as const))) {
    const lost = [...lostFields(from.schema?.openAPIV3Schema ?? {}, to.schema?.openAPIV3Schema ?? {}, '')];
    if (lost.length === 0 || isConverted(to.name, from.name)) continue;
    const spoke = to.name === hub ? from.name : to.name;
    at.field(to.name).refuse(
      `it lacks ${lost.join(', ')} of ${from.name}, so that a write in ${to.name} loses that: convert it with conversions: { ${spoke}: { toHub, fromHub } }, define it in both, or accept the loss with conversion: 'None'`,
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
