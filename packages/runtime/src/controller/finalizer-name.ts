/** What the finalizer of a controller is called. */
import { finalizerProblem, type Kind } from '@keelson/core';

/** The finalizer of a controller that does not name one: the group is a domain of the author's. */
export function finalizerOf(controller: string, kind: Kind, given: string | undefined): string {
  const name = given ?? `${kind.group}/${controller}`;
  const problem = finalizerProblem(name);
  if (problem === undefined) return name;
  const advice = given === undefined ? '; give the controller a finalizer' : '';
  throw new RangeError(`controller ${controller}: finalizer ${JSON.stringify(name)}: ${problem}${advice}`);
}
