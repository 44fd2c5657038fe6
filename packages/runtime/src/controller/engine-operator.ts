/** An operator that the engine can run: what it declares says also what to do. */
import type { Operator, SettingsSchema } from '@keelson/core';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Controller } from './controller.ts';
import type { Task } from './task.ts';

/** An operator whose controllers, tasks and webhooks are the engine's. */
export type EngineOperator = Operator<Controller, Task, SettingsSchema | undefined, Webhook>;
