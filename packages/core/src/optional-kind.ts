/**
 * Kinds that a server may not have: what a controller can use if it is there, such as a ServiceMonitor.
 *
 * The mark changes nothing about the kind itself; whoever declares it says that its absence is no failure.
 */
import type { Kind } from './kind.ts';

/** A registered symbol, so that it holds when two copies of this package are loaded. */
const marker = Symbol.for('keelson.optional');

/**
 * The same kind, for `owns`, `watches` and `refers`: the controller works without it, and finds it when its definition
 * is installed later.
 *
 * @example
 * controller({ for: Site, owns: [Deployment, optional(ServiceMonitor)], … })
 */
export function optional<const K extends Kind>(kind: K): K {
  return { ...kind, [marker]: true };
}

/** Whether a kind was marked by `optional`. */
export function isOptional(kind: Kind): boolean {
  return marker in kind;
}
