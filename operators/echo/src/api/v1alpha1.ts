/** `mmontes.io/v1alpha1`: Echo, which prints a message once, and ScheduledEcho, which prints it by a schedule. */
import type { InputOf, ObjectOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

const message = z.string().min(1).max(65_536).describe('What is printed.');

/** Five fields of digits, names and `*?,-/`, or a descriptor; what they mean is judged by the API server later. */
const schedule = z
  .string()
  .max(256)
  .regex(
    /^\s*(@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)|[\dA-Za-z*?,/-]+(\s+[\dA-Za-z*?,/-]+){4})\s*$/,
  )
  .describe('When, as in cron: "*/5 * * * *", or a descriptor such as @hourly.');

const nameRule = (most: number, child: string) =>
  rule(`self.metadata.name.size() <= ${most}`, {
    message: `metadata.name may have at most ${most} characters, because a ${child} is named after it`,
  });

/** Prints a message once. */
export const Echo = defineKind({
  group: 'mmontes.io',
  kind: 'Echo',
  description: 'Echo prints a message once, by a Job. Another message is another Job.',
  plural: 'echos',
  shortNames: ['ec'],
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec: z.object({ message }),
      status: z.object({
        job: z.string().describe('The Job that prints the message, or has printed it.'),
        completionTime: z.iso.datetime().optional().describe('When it was printed.'),
        conditions: conditions('Complete', 'Degraded'),
      }),
      printerColumns: [
        { name: 'Message', type: 'string', jsonPath: '.spec.message', priority: 1 },
        { name: 'Complete', type: 'string', jsonPath: '.status.conditions[?(@.type=="Complete")].status' },
        { name: 'Degraded', type: 'string', jsonPath: '.status.conditions[?(@.type=="Degraded")].status' },
        { name: 'Job', type: 'string', jsonPath: '.status.job' },
      ],
    },
  },
  rules: [nameRule(52, 'Job')],
});
/** As read. */
export type Echo = ObjectOf<typeof Echo>;
/** As written. */
export type NewEcho = InputOf<typeof Echo>;

/** Prints a message by a schedule. */
export const ScheduledEcho = defineKind({
  group: 'mmontes.io',
  kind: 'ScheduledEcho',
  description: 'ScheduledEcho prints a message by a schedule, by a CronJob.',
  plural: 'scheduledechos',
  shortNames: ['sec'],
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec: z.object({
        message,
        schedule,
        timeZone: z
          .string()
          .min(1)
          .max(64)
          .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
          .optional()
          .describe('The time zone of the schedule, such as Europe/Madrid; that of the cluster if left out.'),
        suspend: z.boolean().optional().describe('While true, nothing is printed.'),
      }),
      status: z.object({
        cronJob: z.string().describe('The CronJob that prints the message.'),
        lastScheduleTime: z.iso.datetime().optional().describe('When it was last time.'),
        lastSuccessfulTime: z.iso.datetime().optional().describe('When it was last printed.'),
        conditions: conditions('Scheduled', 'Degraded'),
      }),
      printerColumns: [
        { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
        { name: 'Scheduled', type: 'string', jsonPath: '.status.conditions[?(@.type=="Scheduled")].status' },
        { name: 'Degraded', type: 'string', jsonPath: '.status.conditions[?(@.type=="Degraded")].status' },
        { name: 'Last', type: 'date', jsonPath: '.status.lastScheduleTime' },
      ],
    },
  },
  rules: [nameRule(52, 'CronJob')],
});
/** As read. */
export type ScheduledEcho = ObjectOf<typeof ScheduledEcho>;
/** As written. */
export type NewScheduledEcho = InputOf<typeof ScheduledEcho>;
