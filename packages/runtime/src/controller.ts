/**
 * Controllers and operators as values: a declaration, and what to do when something it names has changed.
 *
 * Nothing here runs anything. `createManager` interprets these values, `generate` prints them, `testing` starts them.
 */
import type { Declaration, Kind, ObjectOf, PolicyRule, StatusInputOf } from '@keelson/core';
import { resourceNameOf, rulesFor } from '@keelson/core';
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
  /** In logs and metrics. @default the reconciled kind in lower case */
  readonly name?: string;
  /** How many objects are reconciled at a time; one object never is twice at once. @default 1 */
  readonly concurrency?: number;
}

/** A controller of any declaration; its reconciler is called only with what its own declaration promises. */
export interface Controller {
  readonly name: string;
  readonly concurrency: number;
  readonly declaration: Declaration;
  readonly reconcile: Reconcile<never>;
  readonly onError: ((object: never, error: unknown, context: { readonly events: Events }) => unknown) | undefined;
}

export function controller<
  const For extends Kind,
  const Owns extends NonNullable<Declaration['owns']> = readonly [],
  const Watches extends NonNullable<Declaration['watches']> = readonly [],
>(
  definition: {
    readonly for: For;
    readonly owns?: Owns;
    readonly watches?: Watches;
    readonly needs?: Declaration['needs'];
  } & ControllerOptions<{ readonly for: For; readonly owns: Owns; readonly watches: Watches }>,
): Controller {
  const { reconcile, onError, name = definition.for.kind.toLowerCase(), concurrency = 1, ...declaration } = definition;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(
      `controller ${name}: concurrency must be a whole number of at least 1, received ${concurrency}`,
    );
  }
  return { name, concurrency, declaration: declaration as Declaration, reconcile, onError };
}

/** What one process runs. */
export interface Operator {
  /** Also the field manager of everything it writes and the source of its Events. */
  readonly name: string;
  readonly controllers: readonly Controller[];
}

export function operator({ name, controllers }: Operator): Operator {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63) {
    throw new RangeError(`operator: name must be a DNS label of at most 63 characters, received "${name}"`);
  }
  if (controllers.length === 0) throw new RangeError(`operator ${name}: controllers must not be empty`);
  const names = controllers.map((each) => each.name);
  const twice = names.find((each, i) => names.indexOf(each) !== i);
  if (twice !== undefined)
    throw new RangeError(`operator ${name}: two controllers are called "${twice}"; give one a name`);
  const kinds = controllers.map(({ declaration }) => resourceNameOf(declaration.for));
  const shared = kinds.find((each, i) => kinds.indexOf(each) !== i);
  if (shared !== undefined) {
    // Both would apply the status under the operator's name, and each would remove what the other said.
    throw new RangeError(`operator ${name}: two controllers reconcile ${shared}; let one of them do both`);
  }
  return { name, controllers };
}

const eventsRule: PolicyRule = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };

/** The RBAC rules that an operator needs: those of its controllers' declarations, and Events. */
export function rulesOf({ controllers }: Operator): readonly PolicyRule[] {
  return [...rulesFor(...controllers.map(({ declaration }) => declaration)), eventsRule];
}
