/** What to do about a pass that the server has refused for want of a rule: which declaration to add, or to install. */
import {
  type Declaration,
  declarationFor,
  isForbidden,
  missingRightIn,
  ownedKinds,
  printRight,
  rulesFor,
} from '@keelson/core';

/** A sentence for the log; nothing for any other error. */
export function refusalHint(error: unknown, declaration: Declaration): string | undefined {
  const missing = isForbidden(error) ? missingRightIn(error.message) : undefined;
  if (missing === undefined) return undefined;
  const { verb, group, resource, subresource } = missing;
  const what = `the operator's role does not allow "${printRight(missing)}"`;
  const isDeclared = rulesFor(declaration).some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(group) &&
      resources.includes(subresource ? `${resource}/${subresource}` : resource) &&
      verbs.includes(verb),
  );
  if (isDeclared) return `${what}, which is declared: install the roles that "keelson generate" makes`;
  const known = [
    declaration.for,
    ...ownedKinds(declaration),
    ...(declaration.watches ?? []).map((each) => each.watch),
    ...(declaration.refers ?? []).map((each) => each.to),
  ].find((each) => each.resource === resource && each.group === group);
  const kind = known?.kind ?? `<the kind of ${resource}>`;
  return `${what}: declare it with ${declarationFor(missing, kind, [declaration])}`;
}
