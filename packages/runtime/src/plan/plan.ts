/**
 * A plan: every object that is there is reconciled once, and what its pass would write is told instead of written.
 *
 * Promises: nothing reaches the server but reads; `finalize`, tasks and sources are never called. Objects come one by
 * one, controllers in the order of the operator and objects in that of their names, each over what was planned before;
 * where a pass does not come to rest, the plan ends. A conflict is settled by looking again, as it is otherwise.
 * Does not: follow what a write would wake. What a plan would create is not reconciled in turn.
 */
import type { Client, OwnWrite } from '@keelson/client';
import {
  type Clock,
  isConflict,
  isNotFound,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  parseKey,
  type Random,
  resourceNameOf,
  sleep,
  type Transport,
} from '@keelson/core';
import { type Caches, isAbsentKind } from '../cache/caches.ts';
import { problemOf } from '../cache/watch-problem.ts';
import { checkedOutcome } from '../controller/outcome.ts';
import { errorOf } from '../log/thrown.ts';
import { abortGraceMs, type ControlLoopOptions, quietConflicts } from '../loop/control-loop.ts';
import { ensureFinalizer, stepFor } from '../loop/deletion.ts';
import { Pass } from '../loop/pass.ts';
import { contextOf, reportedStatus, reportFailure } from '../loop/pass-context.ts';
import { StatusEchoes } from '../loop/status-echoes.ts';
import { StatusReports } from '../loop/status-reports.ts';
import { Storms } from '../storms/storms.ts';
import { ownWriteOf, PassNotes } from './pass-notes.ts';
import type { PlannedPass } from './planned-pass.ts';
import { PlanningTransport } from './planning-transport.ts';

type ControllerParts = Omit<ControlLoopOptions, 'client' | 'recorder' | 'clock' | 'random' | 'settings'>;

export interface PlanOptions {
  readonly controllers: readonly ControllerParts[];
  /** The way to the server, for reads. */
  readonly transport: Transport;
  readonly clientOf: (transport: Transport) => Client;
  /** Shows a planned write in the caches. */
  readonly onWritten: (write: OwnWrite) => void;
  readonly settings: unknown;
  readonly clock: Clock;
  readonly random: Random;
  readonly onPlanned: (pass: PlannedPass) => void;
}

/** Plans everything once. Rejects when a kind cannot be watched, a pass does not stop, or the signal is aborted. */
export async function planPasses(options: PlanOptions, signal: AbortSignal): Promise<void> {
  const { controllers, transport, clock } = options;
  for (const { controller, caches } of controllers)
    await complete(caches, clock, controller.cacheSyncTimeoutMs, signal);
  const planning = new PlanningTransport(transport, clock);
  const present = controllers.map(({ controller, caches }) => caches.store(controller.for).list().toSorted(byKey));
  for (const [i, parts] of controllers.entries()) {
    for (const object of present[i] ?? []) await planObject(options, parts, { planning, key: keyOf(object), signal });
  }
}

const byKey = (a: KubernetesObject, b: KubernetesObject): number => (keyOf(a) < keyOf(b) ? -1 : 1);

interface Planned {
  readonly planning: PlanningTransport;
  readonly key: NamespacedName;
  readonly signal: AbortSignal;
}

async function planObject(options: PlanOptions, parts: ControllerParts, subject: Planned): Promise<void> {
  const { clock, onPlanned } = options;
  const notes = new PassNotes();
  for (let conflicts = 0; ; conflicts += 1) {
    subject.signal.throwIfAborted();
    const { planned, pass } = await planPass(options, parts, subject, notes, conflicts < quietConflicts);
    if (planned !== undefined) onPlanned(planned);
    const what = `the reconcile of ${parts.controller.name} ${subject.key}`;
    if (pass !== undefined) await comeToRest(pass, what, clock);
    if (planned !== undefined) return;
    await sleep(clock, lookMs, subject.signal);
  }
}

/** One pass; `planned` is absent where it met a conflict and another one shall be made. */
async function planPass(
  { controllers, clientOf, onWritten, settings, clock, random }: PlanOptions,
  parts: ControllerParts,
  { planning, key, signal }: Planned,
  notes: PassNotes,
  isQuiet: boolean,
): Promise<{ readonly planned: PlannedPass | undefined; readonly pass?: Pass }> {
  const { controller, caches } = parts;
  const { finalizer, for: kind } = controller;
  // An earlier pass may have planned something for it.
  const object = caches.store(kind).get(key);
  const step = stepFor(object, finalizer);
  const head = { controller: controller.name, group: kind.group, kind: kind.kind, key, step };
  if (object === undefined || step !== 'reconcile') return { planned: { ...head, ...notes.report() } };
  const kinds = controllers.flatMap((each) => each.caches.informers.map((informer) => informer.kind));
  const transport = planning.recording((write) => {
    notes.wrote(write);
    const own = ownWriteOf(kinds, write);
    if (own !== undefined) onWritten(own);
  });
  const client = clientOf(transport);
  const options = { ...parts, client, recorder: notes.recorder(), settings, clock, random, isPlan: true };
  const logger = parts.logger.with({ ...parseKey(key), plan: true });
  const subject = {
    key,
    object,
    logger,
    echoes: new StatusEchoes(),
    storms: new Storms({ controller: controller.name, clock, onStorm() {}, onCalm() {} }),
    reports: new StatusReports(),
  };
  let pass: Pass | undefined;
  notes.look(object);
  try {
    const marked =
      finalizer === undefined ? object : await ensureFinalizer(object, { client, caches, kind, finalizer });
    const what = `reconcile of ${controller.name} ${key}`;
    pass = new Pass({ what, timeoutMs: controller.timeoutMs, stop: signal, clock, logger });
    const context = contextOf(options, { ...subject, object: marked, pass });
    const noted = { ...context, owned: notes.owned(context.owned) };
    const answer: unknown = await pass.run(async () => controller.reconcile(marked as never, noted as never));
    checkedOutcome(answer, 'reconcile');
    const report = subject.reports.last(key, marked);
    if (report !== undefined) await reportedStatus(options, { ...subject, report, stop: signal }).apply(report.status);
    return { planned: { ...head, ...notes.report() }, pass };
  } catch (thrown) {
    const error = errorOf(thrown, 'reconcile');
    if (isQuiet && isConflict(error)) return { planned: undefined, ...(pass && { pass }) };
    await reportFailure(options, { ...subject, error, stop: signal });
    return { planned: { ...head, ...notes.report(), error }, ...(pass && { pass }) };
  }
}

/** No pass runs beside another one; who does not heed the end of his time ends the plan. */
async function comeToRest(pass: Pass, what: string, clock: Clock): Promise<void> {
  const rest = Promise.withResolvers<boolean>();
  using _patience = clock.setTimer(abortGraceMs, () => rest.resolve(false));
  void pass.settled.then(() => rest.resolve(true));
  if (await rest.promise) return;
  throw new Error(`nothing more is planned: ${what} ignores its signal, and no pass runs beside another one`);
}

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
