/** A refusal for want of a rule, in the words of a declaration: what to add, so that the next role grants it. */
import { type Declaration, ownedKinds, type Verb } from './declaration.ts';

/** What a server did not allow. */
export interface MissingRight {
  readonly verb: Verb;
  readonly group: string;
  /** The plural, without a subresource. */
  readonly resource: string;
  readonly subresource: string | undefined;
}

const refusal =
  /cannot (?<verb>\S+) resource "(?<plural>[^"/]+)(\/(?<subresource>[^"]+))?" in API group "(?<group>[^"]*)"/;

/** Reads a server's sentence; nothing, where it speaks of something else than one missing right. */
export function missingRightIn(message: string): MissingRight | undefined {
  const { verb, plural: resource = '', subresource, group = '' } = refusal.exec(message)?.groups ?? {};
  return verb === undefined ? undefined : { verb: verb as Verb, group, resource, subresource };
}

/** `list configmaps`, `patch deployments.apps/status` */
export function printRight({ verb, group, resource, subresource }: MissingRight): string {
  return `${verb} ${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
}

/** What to write into the declaration, such as `needs: [allow(ConfigMap, 'list')]`; `kind` is the name of its value. */
export function declarationFor(
  { verb, group, resource, subresource }: MissingRight,
  kind: string,
  declarations: readonly Declaration[],
): string {
  const isOwned = declarations.flatMap(ownedKinds).some((each) => each.resource === resource && each.group === group);
  if (verb === 'delete' && isOwned && !subresource) return `owns: [removable(${kind})]`;
  return subresource
    ? `needs: [{ kind: ${kind}, subresource: '${subresource}', verbs: ['${verb}'] }]`
    : `needs: [allow(${kind}, '${verb}')]`;
}
