export { type MissingAccess, missingAccess, printMissing } from './access.ts';
export type {
  ApplyOwnedOptions,
  ContextOf,
  Events,
  Owned,
  ReconcileContext,
  StatusWriter,
} from './context.ts';
export type { PassEnd } from './control-loop.ts';
export {
  type Controller,
  type ControllerOptions,
  controller,
  type Finalize,
  type RateLimit,
  type Reconcile,
  type RetryDelays,
} from './controller.ts';
export { ListenError, type ListenOptions } from './http-server.ts';
export type { LeadershipOptions } from './leadership.ts';
export { jsonLogger, type Level, type LogOptions, textLogger } from './log.ts';
export type { Fields, Logger } from './logger.ts';
export { createManager, type Manager, type ManagerOptions } from './manager.ts';
export type { Mistake } from './mistakes.ts';
export { done, isTerminal, type Outcome, requeueAfter, TerminalError } from './outcome.ts';
export { run } from './run.ts';
export {
  type Channel,
  channel,
  every,
  type PollingOptions,
  polling,
  type Source,
  type SourceContext,
} from './sources.ts';
export type { Storm } from './storms.ts';
export { type Task, type TaskContext, task } from './task.ts';
export type { Attribute, Span, Tracer } from './tracing.ts';
