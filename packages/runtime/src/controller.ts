/**
 * Controllers as values: a declaration, and what to do when something it names has changed.
 *
 * Nothing here runs anything. `createManager` interprets these values, `generate` prints them, `testing` starts them.
 */
import { controllerName, type Declaration, type Kind, type ObjectOf, type StatusInputOf } from '@keelson/core';
import type { Events, ReconcileContext } from './context.ts';
import type { Outcome } from './outcome.ts';

/**
 * Drives one object of the reconciled kind towards what it asks for.
 *
 * It is called with the cached object, knows nothing of why, keeps nothing between calls, and may be interrupted between
 * any two lines. It is not called for an object that is being deleted: what it owns goes with it.
 */
export type Reconcile<D extends Declaration> = (
  object: ObjectOf<D['for']>,
  context: ReconcileContext<D>,
) => Promise<Outcome>;

export interface ControllerOptions<D extends Declaration> {
  readonly reconcile: Reconcile<D>;
  /** The status to apply when `reconcile` throws, or nothing to leave it. The error is retried either way. */
  readonly onError?: (
    object: ObjectOf<D['for']>,
    error: unknown,
    context: { readonly events: Events },
  ) => StatusInputOf<D['for']> | undefined;
  /** How many objects are reconciled at a time; one object never is twice at once. @default 1 */
  readonly concurrency?: number;
}

/** A controller of any declaration; its reconciler is called only with what its own declaration promises. */
export interface Controller extends Declaration {
  readonly name: string;
  readonly concurrency: number;
  readonly reconcile: Reconcile<never>;
  readonly onError: ((object: never, error: unknown, context: { readonly events: Events }) => unknown) | undefined;
}

export function controller<
  const For extends Kind,
  const Owns extends NonNullable<Declaration['owns']> = readonly [],
  const Watches extends NonNullable<Declaration['watches']> = readonly [],
>(
  definition: {
    readonly name?: Declaration['name'];
    readonly for: For;
    readonly owns?: Owns;
    readonly watches?: Watches;
    readonly needs?: Declaration['needs'];
  } & ControllerOptions<{ readonly for: For; readonly owns: Owns; readonly watches: Watches }>,
): Controller {
  const { onError, concurrency = 1 } = definition;
  const name = controllerName(definition);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(
      `controller ${name}: concurrency must be a whole number of at least 1, received ${concurrency}`,
    );
  }
  return { ...definition, name, concurrency, onError };
}
