/**
 * A plan: every object that is there is reconciled once, and what its pass would write is told instead of written.
 *
 * Promises: nothing reaches the server but reads; `finalize`, tasks and sources are never called. Objects come one by
 * one, controllers in the order of the operator and objects in that of their names, each over what was planned before.
 * Does not: follow what a write would wake. What a plan would create is not reconciled in turn.
 */
import type { Client, EventRecorder } from '@keelson/client';
import {
  type Clock,
  isNotFound,
  type KubernetesObject,
  keyOf,
  parseKey,
  type Random,
  resourceNameOf,
  sleep,
  type Transport,
} from '@keelson/core';
import { type Caches, isAbsentKind } from '../cache/caches.ts';
import { problemOf } from '../cache/watch-problem.ts';
import type { Owned } from '../controller/context.ts';
import { checkedOutcome } from '../controller/outcome.ts';
import { errorOf } from '../log/thrown.ts';
import type { ControlLoopOptions } from '../loop/control-loop.ts';
import { ensureFinalizer, stepFor } from '../loop/deletion.ts';
import { Pass } from '../loop/pass.ts';
import { contextOf, reportFailure } from '../loop/pass-context.ts';
import { StatusEchoes } from '../loop/status-echoes.ts';
import { Storms } from '../storms/storms.ts';
import { isChanged, type PlannedChange, type PlannedEvent, type PlannedPass } from './planned-pass.ts';
import { type AnsweredWrite, PlanningTransport } from './planning-transport.ts';

type ControllerParts = Omit<ControlLoopOptions, 'client' | 'recorder' | 'clock' | 'random' | 'settings'>;

export interface PlanOptions {
  readonly controllers: readonly ControllerParts[];
  /** The way to the server, for reads. */
  readonly transport: Transport;
  readonly clientOf: (transport: Transport) => Client;
  readonly settings: unknown;
  readonly clock: Clock;
  readonly random: Random;
  readonly onPlanned: (pass: PlannedPass) => void;
}

/** Plans everything once. Rejects when a kind cannot be watched, or when the signal is aborted. */
export async function planPasses(options: PlanOptions, signal: AbortSignal): Promise<void> {
  const { controllers, transport, clock, onPlanned } = options;
  for (const { controller, caches } of controllers)
    await complete(caches, clock, controller.cacheSyncTimeoutMs, signal);
  const planning = new PlanningTransport(transport, clock);
  const present = controllers.map(({ controller, caches }) => caches.store(controller.for).list().toSorted(byKey));
  for (const [i, parts] of controllers.entries()) {
    for (const object of present[i] ?? []) {
      signal.throwIfAborted();
      onPlanned(await planPass(options, parts, planning, object, signal));
    }
  }
}

const byKey = (a: KubernetesObject, b: KubernetesObject): number => (keyOf(a) < keyOf(b) ? -1 : 1);

async function planPass(
  { clientOf, settings, clock, random }: PlanOptions,
  parts: ControllerParts,
  planning: PlanningTransport,
  found: KubernetesObject,
  signal: AbortSignal,
): Promise<PlannedPass> {
  const { controller, caches } = parts;
  const key = keyOf(found);
  const notes = new PassNotes();
  const head = { controller: controller.name, kind: controller.for.kind, key };
  // An earlier pass may have planned something for it.
  const object = caches.store(controller.for).get(key);
  const step = stepFor(object, controller.finalizer);
  if (object === undefined || step !== 'reconcile') {
    return { ...head, step, changes: [], unchanged: [], events: [] };
  }
  const client = clientOf(planning.recording((write) => notes.wrote(write)));
  const recorder = notes.recorder();
  const options = { ...parts, client, recorder, settings, clock, random, isPlan: true };
  const logger = parts.logger.with({ ...parseKey(key), plan: true });
  const subject = {
    key,
    object,
    logger,
    echoes: new StatusEchoes(),
    storms: new Storms({ controller: controller.name, clock, onStorm() {}, onCalm() {} }),
  };
  const what = `reconcile of ${controller.name} ${key}`;
  const pass = new Pass({ what, timeoutMs: controller.timeoutMs, stop: signal, clock, logger });
  notes.look(object);
  try {
    const { finalizer, for: kind } = controller;
    const marked =
      finalizer === undefined ? object : await ensureFinalizer(object, { client, caches, kind, finalizer });
    const context = contextOf(options, { ...subject, object: marked, pass });
    const noted = { ...context, owned: notes.owned(context.owned) };
    const answer: unknown = await pass.run(async () => controller.reconcile(marked as never, noted as never));
    checkedOutcome(answer, 'reconcile');
    return { ...head, step, ...notes.report() };
  } catch (thrown) {
    const error = errorOf(thrown, 'reconcile');
    await reportFailure(options, { ...subject, error, stop: signal });
    return { ...head, step, ...notes.report(), error };
  }
}

/** What a pass looked at and wrote, each object once. */
class PassNotes {
  readonly #writes = new Map<string, AnsweredWrite>();
  readonly #looked = new Set<string>();
  readonly #events: PlannedEvent[] = [];

  wrote({ path, before, after }: AnsweredWrite): void {
    const earlier = this.#writes.get(path);
    this.#writes.set(path, { path, before: earlier ? earlier.before : before, after });
  }

  look(object: KubernetesObject): void {
    this.#looked.add(idOf(object));
  }

  /** The same, and it notes what is applied, whether or not that is a write. */
  owned(owned: Owned): Owned {
    return {
      apply: async (kind, desired, options) => {
        const result = await owned.apply(kind, desired, options);
        this.look(result);
        return result;
      },
      absent: (kind, name) => owned.absent(kind, name),
      only: (kind, names) => owned.only(kind, names),
    };
  }

  recorder(): EventRecorder {
    return {
      event: (_, { type, reason, message }) => void this.#events.push({ type, reason, message }),
      async flush() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  report(): Pick<PlannedPass, 'changes' | 'unchanged' | 'events'> {
    const changes = [...this.#writes.values()].flatMap(changeOf);
    const changed = new Set(changes.map(({ kind, key }) => `${kind} ${key}`));
    return { changes, unchanged: [...this.#looked].filter((id) => !changed.has(id)), events: this.#events };
  }
}

function changeOf({ before, after }: AnsweredWrite): readonly PlannedChange[] {
  const object = after ?? before;
  if (object === undefined || !isChanged(before, after)) return [];
  const type = before === undefined ? 'create' : after === undefined ? 'delete' : 'change';
  return [{ type, kind: object.kind, key: keyOf(object), before, after }];
}

const idOf = (object: KubernetesObject): string => `${object.kind} ${keyOf(object)}`;

const lookMs = 100;

/** Waits for the first list of each kind, also of the optional ones; what cannot be read cannot be planned with. */
async function complete({ informers }: Caches, clock: Clock, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const untilMs = clock.monotonic() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const missing = informers.filter((each) => !each.health.synced && !isAbsentKind(each));
    const refused = missing.find(({ health }) => health.forbidden !== undefined || isNotFound(health.lastError));
    const isLate = clock.monotonic() >= untilMs;
    const problem = refused ?? (isLate ? missing[0] : undefined);
    if (problem !== undefined) {
      const why = problemOf(problem.health) ?? `its first list is not complete after ${timeoutMs / 1000} s`;
      throw new Error(`nothing is planned: ${resourceNameOf(problem.kind)} cannot be watched: ${why}`);
    }
    if (missing.length === 0) return;
    await Promise.race([Promise.all(missing.map(({ synced }) => synced)), sleep(clock, lookMs, signal)]);
  }
}
