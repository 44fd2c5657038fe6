/**
 * Controllers as values: a declaration, and what to do when something it names has changed.
 *
 * Nothing here runs anything. `createManager` interprets these values, `generate` prints them, `testing` starts them.
 */
import {
  controllerName,
  type Declaration,
  type Kind,
  type ObjectOf,
  type OwnedKind,
  type Predicate,
  type Reference,
  type RemovableKind,
  type SettingsOf,
  type StatusInputOf,
  type Watch,
  type WatchedKind,
} from '@keelson/core';
import { shown } from '../log/thrown.ts';
import type { Events, ReconcileContext } from './context.ts';
import { finalizerOf } from './finalizer-name.ts';
import type { Outcome } from './outcome.ts';
import type { Source } from './sources.ts';

/**
 * Drives one object of the reconciled kind towards what it asks for.
 *
 * It is called with the cached object, knows nothing of why, keeps nothing between calls, and may be interrupted between
 * any two lines. It is not called for an object that is being deleted: what it owns goes with it, and `finalize` cleans
 * up the rest.
 */
export type Reconcile<D extends Declaration> = (
  object: ObjectOf<D['for']>,
  context: ReconcileContext<
    D['for'],
    OwnedKind<D>,
    RemovableKind<D>,
    D['for'] | OwnedKind<D> | WatchedKind<D>,
    SettingsOf<D['settings']>
  >,
) => Promise<Outcome>;

/**
 * Cleans up what an object leaves outside of the cluster, before it is removed.
 *
 * It is called for an object that is being deleted, never beside a `reconcile` of it, and again until it succeeds, so it
 * must bear being repeated. What the object owns is still there. It succeeds by returning nothing or `done`;
 * `requeueAfter` says that it has to look again.
 */
export type Finalize<D extends Declaration> = (
  object: ObjectOf<D['for']>,
  context: ReconcileContext<
    D['for'],
    OwnedKind<D>,
    RemovableKind<D>,
    D['for'] | OwnedKind<D> | WatchedKind<D>,
    SettingsOf<D['settings']>
  >,
) => Promise<void> | Promise<Outcome>;

/** What a controller does, and how. */
export interface ControllerOptions<D extends Declaration> {
  readonly reconcile: Reconcile<D>;
  /** With it, each object gets a finalizer before its first `reconcile`. @default nothing is to be cleaned up */
  readonly finalize?: Finalize<D>;
  /** The status to apply when `reconcile` throws, or nothing to leave it. The error is retried either way. */
  readonly onError?: (
    object: ObjectOf<D['for']>,
    error: unknown,
    context: { readonly events: Events },
  ) => StatusInputOf<D['for']> | undefined;
  /** How many objects are reconciled at a time; one object never is twice at once. @default 1 */
  readonly concurrency?: number;
  /**
   * How long one pass may take. Then its signal is aborted and it counts as failed; its worker goes on with other objects,
   * and its own object waits until the pass has really ended. `Infinity` for no limit. @default 300_000
   */
  readonly timeoutMs?: number;
  /** After how long a cache that is not complete is reported as an error. It is tried on. @default 120_000 */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * After how long each object is looked at again though nothing has changed, give or take a tenth; `Infinity` for never.
   * @default 36_000_000, ten hours
   */
  readonly resyncMs?: number;
  /** How soon a failed object is tried again. @default after 5 ms, doubling up to 1000 s */
  readonly retry?: RetryDelays;
  /** How often one object may be reconciled, whatever wakes it. @default no limit */
  readonly rateLimit?: RateLimit;
  /** What wakes objects beside the watches: messages, polls, time. @default nothing */
  readonly sources?: readonly Source[];
}

/** How soon a failed object is tried again. */
export interface RetryDelays {
  /** Before the first retry; doubles with each further failure. @default 5 */
  readonly baseDelayMs?: number | undefined;
  /** Ceiling for that. @default 1_000_000 */
  readonly maxDelayMs?: number | undefined;
}

/** At most `passes` in any `perMs`; what comes too soon waits for its turn. */
export interface RateLimit {
  readonly passes: number;
  readonly perMs: number;
}

/** A controller of any declaration; its reconciler is called only with what its own declaration promises. */
export interface Controller extends Declaration {
  readonly name: string;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly cacheSyncTimeoutMs: number;
  readonly resyncMs: number;
  readonly retry: RetryDelays;
  readonly rateLimit: RateLimit | undefined;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile<never>;
  readonly finalize: Finalize<never> | undefined;
  readonly onError: ((object: never, error: unknown, context: { readonly events: Events }) => unknown) | undefined;
}

/**
 * A controller: a declaration, from which its caches and its RBAC rules follow, and what to do. Nothing is started; a
 * definition that cannot work throws a RangeError.
 *
 * @example
 * const websites = controller({
 *   for: Website,
 *   owns: [Deployment],
 *   async reconcile(website, { owned, status }) {
 *     const deployment = await owned.apply(Deployment, desiredDeployment(website));
 *     status.report({ readyReplicas: deployment.status.readyReplicas ?? 0 });
 *     return done;
 *   },
 * });
 */
export function controller<
  const For extends Kind,
  const Owns extends NonNullable<Declaration['owns']> = readonly [],
  const Watches extends NonNullable<Declaration['watches']> = readonly [],
  const Refers extends readonly Kind[] = readonly [],
  Settings extends Declaration['settings'] = undefined,
>(
  definition: {
    readonly name?: Declaration['name'];
    readonly for: For;
    readonly selector?: Declaration['selector'];
    readonly owns?: Owns;
    readonly watches?: Watches;
    readonly refers?: readonly [...{ [I in keyof Refers]: Reference<For, Refers[I]> }];
    readonly when?: Predicate<ObjectOf<For>>;
    readonly needs?: Declaration['needs'];
    readonly finalizer?: Declaration['finalizer'];
    readonly settings?: Settings;
  } & ControllerOptions<{
    readonly for: For;
    readonly owns: Owns;
    readonly watches: Watches;
    readonly refers: readonly Reference<never, Refers[number]>[];
    readonly settings: Settings;
  }>,
): Controller {
  const { onError, finalize, concurrency = 1 } = definition;
  assertWhole(definition);
  const name = controllerName(definition);
  const { timeoutMs = 300_000, cacheSyncTimeoutMs = 120_000, resyncMs = 36_000_000 } = definition;
  const { retry = {}, rateLimit, sources = [] } = definition;
  const { baseDelayMs = 5, maxDelayMs = 1_000_000 } = retry;
  const wholes = { concurrency, ...(rateLimit && { 'rateLimit.passes': rateLimit.passes }) };
  for (const [option, value] of Object.entries(wholes)) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new RangeError(`controller ${name}: ${option} must be a whole number of at least 1, received ${value}`);
  }
  const times = { timeoutMs, cacheSyncTimeoutMs, resyncMs, 'retry.baseDelayMs': baseDelayMs };
  for (const [option, value] of Object.entries({
    ...times,
    ...(rateLimit && { 'rateLimit.perMs': rateLimit.perMs }),
  })) {
    if (value > 0) continue;
    throw new RangeError(`controller ${name}: ${option} must be greater than 0, received ${value}`);
  }
  if (!(maxDelayMs >= baseDelayMs)) {
    throw new RangeError(
      `controller ${name}: retry.maxDelayMs must be at least baseDelayMs (${baseDelayMs}), received ${maxDelayMs}`,
    );
  }
  if (definition.finalizer !== undefined && finalize === undefined) {
    throw new RangeError(`controller ${name}: a finalizer without finalize would keep every object for ever`);
  }
  return {
    ...definition,
    finalize,
    finalizer: finalize && finalizerOf(name, definition.for, definition.finalizer),
    name,
    concurrency,
    timeoutMs,
    cacheSyncTimeoutMs,
    resyncMs,
    retry: { baseDelayMs, maxDelayMs },
    rateLimit,
    sources,
    onError,
  };
}

/** What an entry of `owns` names, if it names anything. */
const kindIn = (owned: NonNullable<Declaration['owns']>[number] | undefined): unknown =>
  owned === undefined ? undefined : 'removable' in owned ? owned.removable : 'own' in owned ? owned.own : owned;

/** Types cannot see that modules import each other in a circle, where a kind is not there yet. */
function assertWhole(definition: Declaration & { readonly reconcile?: unknown }): void {
  const { name, for: kind, owns = [], watches = [], refers = [], reconcile } = definition as Partial<typeof definition>;
  const circle = 'is undefined; modules that import each other in a circle see that';
  if (kind === undefined) throw new RangeError(`controller${name ? ` ${name}` : ''}: for ${circle}`);
  const who = `controller ${controllerName(definition)}`;
  const named: readonly (readonly [string, unknown])[] = [
    ...owns.map((each, i) => [`owns[${i}]`, kindIn(each)] as const),
    ...watches.map((each, i) => [`watches[${i}]`, (each as Partial<Watch> | undefined)?.watch] as const),
    ...refers.map((each, i) => [`refers[${i}]`, (each as Partial<Reference<never>> | undefined)?.to] as const),
  ];
  for (const [what, value] of named) if (value === undefined) throw new RangeError(`${who}: ${what} ${circle}`);
  if (typeof reconcile !== 'function')
    throw new RangeError(`${who}: reconcile must be a function, received ${shown(reconcile)}`);
}
