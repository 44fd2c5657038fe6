/**
 * Sets of fields, and their algebra.
 *
 * A set is a tree of steps. `member` says that the field itself belongs to the set, which its children neither imply
 * nor follow from. Sets are never changed once they are shared; a node that is no member and has no children does not
 * exist below a root. No depth is too much: lists take the place of recursion.
 */
import { type Part, workOut } from '../work-out.ts';
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
  const root = { member: a.member || b.member, children: new Map(a.children) };
  const open = [{ children: root.children, added: b.children }];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const [step, child] of next.added) {
      const other = next.children.get(step) ?? child;
      const children = other === child || child.children.size === 0 ? other.children : new Map(other.children);
      const isSame = children === other.children && (other.member || !child.member);
      next.children.set(step, isSame ? other : { member: other.member || child.member, children });
      if (children !== other.children) open.push({ children: children as Map<string, PathSet>, added: child.children });
    }
  }
  return root;
}

/** The paths that both sets have. */
export function intersection(a: PathSet, b: PathSet): PathSet {
  return filtered(a, b, {
    whole: (set, other) => (other === undefined ? emptySet : set === other ? set : undefined),
    isMember: (set, other) => set.member && other?.member === true,
  });
}

/** `a` without the members of `b`; what lies below a member of `b` stays. */
export function difference(a: PathSet, b: PathSet): PathSet {
  return filtered(a, b, {
    whole: (set, other) => (other === undefined || isEmpty(other) ? set : undefined),
    isMember: (set, other) => set.member && other?.member !== true,
  });
}

/** `a` without the members of `b` and all that lies below them. */
export function differenceBelow(a: PathSet, b: PathSet): PathSet {
  return filtered(a, b, {
    whole: (set, other) => (other === undefined || isEmpty(other) ? set : other.member ? emptySet : undefined),
    isMember: (set) => set.member,
  });
}

/** The members that have no member below them. */
export function leavesOf(set: PathSet): PathSet {
  return filtered(set, undefined, {
    whole: (below) => (below.children.size === 0 ? below : undefined),
    isMember: () => false,
  });
}

/** Whether both hold the same paths. */
export function equalSets(a: PathSet, b: PathSet): boolean {
  const open: (readonly [PathSet, PathSet])[] = [[a, b]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [one, other] = next;
    if (one === other) continue;
    if (one.member !== other.member || one.children.size !== other.children.size) return false;
    for (const [step, child] of one.children) {
      const same = other.children.get(step);
      if (same === undefined) return false;
      open.push([child, same]);
    }
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
export function printPaths(set: PathSet): string[] {
  const paths: string[] = [];
  const open = [{ set, prefix: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { children } = next.set;
    const steps = sortedSteps(children.keys());
    const below = steps.map((step) => ({
      set: children.get(step) ?? emptySet,
      prefix: next?.prefix + printStep(step),
    }));
    for (const each of below) if (each.set.member) paths.push(each.prefix);
    for (const each of below.reverse()) if (each.set.children.size > 0) open.push(each);
  }
  return paths;
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
    for (const step of path) node = node.child(step);
    node.member = true;
  }

  /** The set below a step, which must not stay without a member. */
  child(step: string): PathSetBuilder {
    let child = this.children.get(step);
    if (child === undefined) {
      child = new PathSetBuilder();
      if (this.children === noBuilders) this.children = new Map();
      (this.children as Map<string, PathSetBuilder>).set(step, child);
    }
    return child;
  }
}

/** What becomes of a node, by the node in its place in the other set; `undefined` where there is none. */
interface Rule {
  /** What is clear without a look below. */
  readonly whole: (set: PathSet, other: PathSet | undefined) => PathSet | undefined;
  readonly isMember: (set: PathSet, other: PathSet | undefined) => boolean;
}

/** The part of a set that the rule leaves; what stays as it is is shared. */
function filtered(set: PathSet, other: PathSet | undefined, rule: Rule): PathSet {
  return rule.whole(set, other) ?? workOut(new Filtering(set, other, rule));
}

/** A node that is being filtered. */
class Filtering implements Part<PathSet> {
  readonly #set: PathSet;
  readonly #other: PathSet | undefined;
  readonly #rule: Rule;
  readonly #children: Iterator<[string, PathSet], undefined>;
  #step = '';
  #kept: Map<string, PathSet> | undefined;

  constructor(set: PathSet, other: PathSet | undefined, rule: Rule) {
    this.#set = set;
    this.#other = other;
    this.#rule = rule;
    this.#children = set.children.entries() as Iterator<[string, PathSet], undefined>;
  }

  next(): Filtering | undefined {
    for (let next = this.#children.next(); !next.done; next = this.#children.next()) {
      const [step, child] = next.value;
      this.#step = step;
      const other = this.#other?.children.get(step);
      const clear = this.#rule.whole(child, other);
      if (clear === undefined) return new Filtering(child, other, this.#rule);
      this.take(clear);
    }
    return undefined;
  }

  take(left: PathSet): void {
    if (left === this.#set.children.get(this.#step)) return;
    this.#kept ??= new Map(this.#set.children);
    if (isEmpty(left)) this.#kept.delete(this.#step);
    else this.#kept.set(this.#step, left);
  }

  result(): PathSet {
    const member = this.#rule.isMember(this.#set, this.#other);
    if (this.#kept === undefined && member === this.#set.member) return this.#set;
    return { member, children: this.#kept ?? this.#set.children };
  }
}
