/** What a pass is given, and what is said when it fails or is over: the parts of the engine, tied to one object. */
import type { Client } from '@keelson/client';
import { type KubernetesObject, type NamespacedName, ownedSelections } from '@keelson/core';
import type { Events, ReconcileContext, StatusWriter } from '../controller/context.ts';
import type { Logger } from '../log/logger.ts';
import { createOwned } from '../owned/owned.ts';
import { createStatusWriter, type ObjectStatus, type StatusWriterOptions } from '../owned/status-writer.ts';
import type { Storms } from '../storms/storms.ts';
import type { ControlLoopOptions } from './control-loop.ts';
import type { CallEffect, Pass } from './pass.ts';
import type { StatusEchoes } from './status-echoes.ts';
import type { StatusReport, StatusReports } from './status-reports.ts';

interface Subject {
  readonly key: NamespacedName;
  readonly object: KubernetesObject;
  readonly logger: Logger;
  readonly echoes: StatusEchoes;
  readonly storms: Storms;
  readonly reports: StatusReports;
}

/** `object` as the pass sees it. Every part of the context ends with the pass. */
export function contextOf(
  options: ControlLoopOptions,
  { pass, ...subject }: Subject & { readonly pass: Pass },
): ReconcileContext {
  const { caches, clock, controller } = options;
  const { object, logger } = subject;
  const client = options.client.with({ signal: pass.signal, guard: pass.assertOpen });
  const owned = createOwned({
    ...options,
    client,
    logger,
    ownerKind: controller.for,
    owner: object,
    owns: ownedSelections(controller),
    storms: subject.storms,
  });
  return {
    cache: caches,
    client: pass.guard('client', client, effectOfClient),
    owned: pass.guard('owned', owned, () => 'write'),
    status: pass.guard('status', authorsStatus(options, subject, client), (method) =>
      method === 'report' ? 'tell' : 'write',
    ),
    events: pass.guard('events', eventsOf(options, object), () => 'tell'),
    logger,
    settings: controller.settings === undefined ? undefined : options.settings,
    plan: options.isPlan ?? false,
    clock,
    signal: pass.signal,
  };
}

const reads = new Set(['get', 'find', 'list', 'getRaw']);
const streams = new Set(['pages', 'watch', 'streamRaw']);

function effectOfClient(method: string): CallEffect {
  if (reads.has(method)) return 'read';
  return streams.has(method) ? 'stream' : 'write';
}

/** Writes the status that the author wants after a failure. Its Events are told once that is done. */
export async function reportFailure(
  options: ControlLoopOptions,
  { error, stop, ...subject }: Subject & { readonly error: Error; readonly stop: AbortSignal },
): Promise<void> {
  const { controller, client, caches } = options;
  const { key, object, logger } = subject;
  if (controller.onError === undefined) return;
  const latest = caches.store(controller.for).get(key);
  const current = latest?.metadata.uid === object.metadata.uid ? latest : object;
  const told: (() => void)[] = [];
  const recorder = eventsOf(options, object);
  const events: Events = {
    normal: (reason, message) => void told.push(() => recorder.normal(reason, message)),
    warning: (reason, message) => void told.push(() => recorder.warning(reason, message)),
  };
  try {
    const status = controller.onError(current as never, error, { events });
    if (status !== undefined) {
      await statusOf(options, subject, client.with({ signal: stop })).apply(status as object);
      subject.reports.written(key);
    }
    for (const tell of told) tell();
  } catch (failure) {
    logger.error('The error could not be written to the status', { error: failure });
  }
}

/** The status of an object as a pass saw it that is over: for what it reported. */
export function reportedStatus(
  options: ControlLoopOptions,
  {
    report,
    stop,
    ...subject
  }: Omit<Subject, 'object' | 'logger' | 'reports'> & { readonly report: StatusReport; readonly stop: AbortSignal },
): ObjectStatus {
  const { key, echoes, storms } = subject;
  const client = options.client.with({ signal: stop });
  const onWritten: StatusWriterOptions['onWritten'] = (before, after) => echoes.reported(key, before, after);
  return createStatusWriter({
    ...options,
    client,
    kind: options.controller.for,
    object: report.object,
    storms,
    onWritten,
  });
}

function authorsStatus(options: ControlLoopOptions, subject: Subject, client: Client): StatusWriter {
  const { key, object, reports } = subject;
  const written = statusOf(options, subject, client);
  return {
    async apply(status) {
      reports.unsay(key);
      const result = await written.apply(status as object);
      reports.written(key);
      return result as never;
    },
    report: (status) => reports.say(key, { object, status: status as object }),
  };
}

function statusOf(options: ControlLoopOptions, { key, object, echoes, storms }: Subject, client: Client): ObjectStatus {
  const onWritten: StatusWriterOptions['onWritten'] = (before, after) => echoes.wrote(key, before, after);
  return createStatusWriter({ ...options, client, kind: options.controller.for, object, storms, onWritten });
}

function eventsOf({ recorder }: ControlLoopOptions, object: KubernetesObject): Events {
  return {
    normal: (reason, message) => recorder.event(object, { type: 'Normal', reason, message }),
    warning: (reason, message) => recorder.event(object, { type: 'Warning', reason, message }),
  };
}
