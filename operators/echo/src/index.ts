export { Echo, type NewEcho, type NewScheduledEcho, ScheduledEcho } from './api/v1alpha1.ts';
export { createLogger, type EchoLogger } from './logger.ts';
export { echoOperator } from './operator.ts';
export { type EchoObserver, type EchoOperatorOptions, runEchoOperator } from './run-echo-operator.ts';
export { type Settings, SettingsError, settingsFrom } from './settings.ts';
