/** What the two reconcilers are given: nothing in them reaches for more. */
import type { Client, NewEvent, StoreReader } from '@keelson/client';
import type { Clock } from '@keelson/core';
import type { CronJob, Job } from '@keelson/core/batch/v1';
import type { Echo, ScheduledEcho } from './api/v1alpha1.ts';
import type { Reported } from './status.ts';

/** The name under which everything is written, and from which Events come. */
export const manager = 'echo-operator';

/** The index on Jobs and CronJobs by the uid of who controls them. */
export const byController = 'controller';

export interface EchoContext {
  /** Its writes are seen in the stores at once, and are refused after the end of a term. */
  readonly client: Client;
  readonly echos: StoreReader<Echo>;
  readonly jobs: StoreReader<Job>;
  readonly scheduledEchos: StoreReader<ScheduledEcho>;
  readonly cronJobs: StoreReader<CronJob>;
  readonly clock: Clock;
  readonly image: string;
  /** How long a finished Job is kept. */
  readonly ttlSecondsAfterFinished: number;
  readonly record: (regarding: Reported, event: NewEvent) => void;
}
