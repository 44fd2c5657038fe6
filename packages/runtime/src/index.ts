export { type MissingAccess, missingAccess, printMissing } from './access.ts';
export { type CertificateReport, certificateReport } from './certificates/certificate-report.ts';
export type {
  ApplyOwnedOptions,
  ContextOf,
  Events,
  Owned,
  ReconcileContext,
  StatusWriter,
} from './controller/context.ts';
export {
  type Controller,
  type ControllerOptions,
  controller,
  type Finalize,
  type RateLimit,
  type Reconcile,
  type RetryDelays,
} from './controller/controller.ts';
export type { EngineOperator } from './controller/engine-operator.ts';
export { done, isTerminal, type Outcome, requeueAfter, TerminalError } from './controller/outcome.ts';
export {
  type Channel,
  channel,
  every,
  type PollingOptions,
  polling,
  type Source,
  type SourceContext,
} from './controller/sources.ts';
export { type Task, type TaskContext, task } from './controller/task.ts';
export { jsonLogger, type Level, type LogOptions, textLogger } from './log/log.ts';
export type { Fields, Logger } from './log/logger.ts';
export type { PassEnd } from './loop/control-loop.ts';
export type { Mistake } from './loop/mistakes.ts';
export type { LeadershipOptions } from './manager/leadership.ts';
export { createManager, type Manager, type ManagerOptions } from './manager/manager.ts';
export type { WebhookDoor, WebhookListenOptions } from './manager/webhooks.ts';
export type { PlannedChange, PlannedEvent, PlannedObject, PlannedPass } from './plan/planned-pass.ts';
export { type PlanPrintOptions, printPlannedPass, printPlanSummary } from './plan/print-plan.ts';
export { run } from './run/run.ts';
export { ListenError, type ListenOptions } from './serving/http-server.ts';
export type { Storm } from './storms/storms.ts';
export type { Attribute, Span, Tracer } from './tracing.ts';
export type {
  AdmissionContext,
  AdmissionRequest,
  ArrivingObject,
  ConnectRequest,
  CreateRequest,
  DeleteRequest,
  UpdateRequest,
} from './webhooks/admission-request.ts';
export type { Cause, CauseReason, Finding, Warning } from './webhooks/finding.ts';
export type { AttachOptions, ExecOptions } from './webhooks/subresources.ts';
export { type Default, type Defaulted, type Validate, type Webhook, webhook } from './webhooks/webhook.ts';
