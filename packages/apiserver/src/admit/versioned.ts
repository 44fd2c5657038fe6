/** The objects of a write as an admitter wants to see them, and what it made of them as the write has it. */
import type { ApiObject } from '../object.ts';
import { convert } from '../resource/convert.ts';
import type { Attributes } from './attributes.ts';
import type { Match } from './match.ts';

export interface Versioned {
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** Objects of a subresource such as `scale` are of one kind, whatever the version of their resource. */
const isSameKind = ({ kind }: Attributes, match: Match): boolean =>
  kind.group === match.kind.group && kind.version === match.kind.version && kind.kind === match.kind.kind;

export async function versioned(attributes: Attributes, match: Match): Promise<Versioned> {
  const { object, old, resource } = attributes;
  if (isSameKind(attributes, match)) return { object, old };
  const shown = async (each: ApiObject | undefined) => each && (await convert(each, resource, match.resource));
  return { object: await shown(object), old: await shown(old) };
}

/** The other way round, for an object that an admitter changed. */
export async function unversioned(attributes: Attributes, match: Match, object: ApiObject): Promise<ApiObject> {
  return isSameKind(attributes, match) ? object : convert(object, match.resource, attributes.resource);
}
