/**
 * Sets of fields, and their algebra.
 *
 * A set is a tree of steps. `member` says that the field itself belongs to the set, which its children neither imply
 * nor follow from. Sets are never changed once they are shared; a node that is no member and has no children does not
 * exist below a root.
 */
import { printStep, sortedSteps } from './step.ts';

/** A set of paths into an object: who owns which field. */
export interface PathSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<string, PathSet>;
}

const noChildren: ReadonlyMap<string, PathSet> = new Map();
const noBuilders: ReadonlyMap<string, PathSetBuilder> = new Map();
/** The set without any path. */
export const emptySet: PathSet = { member: false, children: noChildren };
/** A field that belongs to the set, with nothing known below it. */
export const leaf: PathSet = { member: true, children: noChildren };

/** Whether the set has no path. */
export function isEmpty(set: PathSet): boolean {
  return !set.member && set.children.size === 0;
}

/** The paths that either set has. */
export function union(a: PathSet, b: PathSet): PathSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  const children = new Map(a.children);
  for (const [step, child] of b.children) {
    const other = children.get(step);
    children.set(step, other === undefined ? child : union(other, child));
  }
  return { member: a.member || b.member, children };
}

/** The paths that both sets have. */
export function intersection(a: PathSet, b: PathSet): PathSet {
  if (a === b) return a;
  return filtered(a, a.member && b.member, (child, step) => {
    const other = b.children.get(step);
    return other === undefined ? emptySet : intersection(child, other);
  });
}

/** `a` without the members of `b`; what lies below a member of `b` stays. */
export function difference(a: PathSet, b: PathSet): PathSet {
  if (isEmpty(b)) return a;
  return filtered(a, a.member && !b.member, (child, step) => {
    const other = b.children.get(step);
    return other === undefined ? child : difference(child, other);
  });
}

/** `a` without the members of `b` and all that lies below them. */
export function differenceBelow(a: PathSet, b: PathSet): PathSet {
  if (b.member) return emptySet;
  return filtered(a, a.member, (child, step) => {
    const other = b.children.get(step);
    return other === undefined ? child : differenceBelow(child, other);
  });
}

/** The members that have no member below them. */
export function leavesOf(set: PathSet): PathSet {
  return filtered(set, set.member && set.children.size === 0, leavesOf);
}

/** Whether both hold the same paths. */
export function equalSets(a: PathSet, b: PathSet): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (other === undefined || !equalSets(child, other)) return false;
  }
  return true;
}

/** `false` for a path of which only something below is in the set. */
export function has(set: PathSet, path: readonly string[]): boolean {
  let node: PathSet | undefined = set;
  for (const step of path) node = node?.children.get(step);
  return node?.member === true;
}

/** The set of these paths. */
export function setOf(...paths: readonly (readonly string[])[]): PathSet {
  const set = new PathSetBuilder();
  for (const path of paths) set.insert(path);
  return set;
}

/** The paths of all members in the server's order: those of a level before those below it, as `.spec.replicas`. */
export function printPaths(set: PathSet, prefix = ''): string[] {
  const steps = sortedSteps(set.children.keys());
  const here = steps.filter((step) => set.children.get(step)?.member).map((step) => prefix + printStep(step));
  return here.concat(steps.flatMap((step) => printPaths(set.children.get(step) ?? emptySet, prefix + printStep(step))));
}

/** A set under construction. */
export class PathSetBuilder implements PathSet {
  member = false;
  /** Most nodes are leaves, and share this one. */
  children: ReadonlyMap<string, PathSetBuilder> = noBuilders;

  /** The whole object belongs to no manager, so the empty path changes nothing. */
  insert(path: readonly string[]): void {
    if (path.length === 0) return;
    let node: PathSetBuilder = this;
    for (const step of path) node = node.#child(step);
    node.member = true;
  }

  #child(step: string): PathSetBuilder {
    let child = this.children.get(step);
    if (child === undefined) {
      child = new PathSetBuilder();
      if (this.children === noBuilders) this.children = new Map();
      (this.children as Map<string, PathSetBuilder>).set(step, child);
    }
    return child;
  }
}

function filtered(set: PathSet, member: boolean, keep: (child: PathSet, step: string) => PathSet): PathSet {
  let changed = member !== set.member;
  const children = new Map<string, PathSet>();
  for (const [step, child] of set.children) {
    const kept = keep(child, step);
    if (kept !== child) changed = true;
    if (!isEmpty(kept)) children.set(step, kept);
  }
  return changed ? { member, children } : set;
}
