/**
 * The CronJob controller: a Job each time that the schedule says so.
 *
 * A time that was missed is made up for once, however often; with a starting deadline, only if it is not too long ago.
 */
import { createWorkQueue, type EventRecorder, type InformerEvent, type InformerHandle } from '@keelson/client';
import {
  CronError,
  type CronSchedule,
  controllerOf,
  equalJson,
  isAlreadyExists,
  isControlledBy,
  isTimeZone,
  keyOf,
  type NamespacedName,
  parseCron,
  timestamp,
} from '@keelson/core';
import { CronJob, type CronJobStatus, Job } from '@keelson/core/batch/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { isNamespaceTerminating, startLoop } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { finishedCondition } from '../job/conditions.ts';
import { lookBack, nextLookMs } from './due-time.ts';
import { isListed, jobAt, jobNameAt, outdatedJobs, withJob, withoutJob } from './jobs.ts';

export function startCronJobController(context: ControllerContext): RunningController {
  const controller = new CronJobController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'cronjob',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

/** One pass over one CronJob: what it was when the pass began, and its status as it is by now. */
interface Pass {
  readonly read: CronJob;
  readonly jobs: readonly Job[];
  readonly wallMs: number;
  status: CronJobStatus;
}

class CronJobController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #cronJobs: InformerHandle<CronJob>;
  readonly #jobs: InformerHandle<Job>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock });
    this.#recorder = context.recorder('cronjob-controller');
    this.#cronJobs = context.informers.informer(CronJob);
    this.#jobs = context.informers.informer(Job);
  }

  get informers() {
    return [this.#cronJobs, this.#jobs];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#cronJobs.subscribe((event) => this.#cronJobChanged(event), { signal });
    this.#jobs.subscribe((event) => this.#jobChanged(event), { signal });
  }

  /** A new schedule does not make up for what it would have had before. */
  #cronJobChanged(event: InformerEvent<CronJob>): void {
    const { object } = event;
    const [before, after] = [event.type === 'updated' ? event.previous.spec : object.spec, object.spec];
    if (before.schedule === after.schedule && before.timeZone === after.timeZone) {
      this.queue.add(keyOf(object));
      return;
    }
    const schedule = readSchedule(object);
    if (schedule instanceof CronError) {
      const message = `unparseable schedule for cronjob: ${after.schedule}`;
      this.#recorder.event(object, { type: 'Warning', reason: 'UnParseableCronJobSchedule', message });
      return;
    }
    const waitMs = nextLookMs(object, schedule, this.#context.clock.now());
    if (waitMs !== undefined) this.queue.addAfter(keyOf(object), waitMs);
  }

  #jobChanged(event: InformerEvent<Job>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const job of states) {
      const controller = controllerOf(job);
      if (controller?.kind === CronJob.kind) this.queue.add(`${job.metadata.namespace}/${controller.name}`);
    }
  }

  async sync(key: NamespacedName): Promise<void> {
    const read = this.#cronJobs.store.get(key);
    if (!read) return;
    const { namespace, name } = read.metadata;
    const jobs = this.#jobs.store.list({ namespace }).filter((job) => controllerOf(job)?.name === name);
    const pass: Pass = { read, jobs, wallMs: this.#context.clock.now(), status: read.status };
    for (const job of outdatedJobs(read, jobs)) await this.#delete(pass, job);
    let failure: unknown;
    let nextMs: number | undefined;
    try {
      await this.#follow(pass);
      nextMs = await this.#start(pass);
    } catch (error) {
      failure = error;
    }
    // What was started and seen is noted, whatever went wrong afterwards.
    if (!equalJson(pass.status, read.status)) {
      await this.#context.client.update(CronJob, { ...read, status: pass.status }, { subresource: 'status' });
    }
    if (failure !== undefined) throw failure;
    if (nextMs !== undefined) this.queue.addAfter(key, nextMs);
  }

  /** Takes note of Jobs that have ended, that are gone, and that nobody knows of. */
  async #follow(pass: Pass): Promise<void> {
    for (const job of pass.jobs) {
      const { uid, name } = job.metadata;
      const condition = finishedCondition(job);
      if (!condition) {
        if (isListed(pass.status, uid)) continue;
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        this.#tell(pass, 'Warning', 'UnexpectedJob', message);
        continue;
      }
      if (isListed(pass.status, uid)) {
        pass.status = withoutJob(pass.status, uid);
        this.#tell(pass, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${condition.type}`);
      }
      const { completionTime } = job.status;
      const isLater = Date.parse(completionTime ?? '') > Date.parse(pass.status.lastSuccessfulTime ?? '1970-01-01');
      if (condition.type === 'Complete' && isLater) {
        pass.status = { ...pass.status, lastSuccessfulTime: completionTime };
      }
    }
    for (const { uid = '', name = '', namespace = '' } of pass.status.active ?? []) {
      if (pass.jobs.some(({ metadata }) => metadata.uid === uid)) continue;
      if (await this.#context.client.find(Job, `${namespace}/${name}`)) continue;
      this.#tell(pass, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
      pass.status = withoutJob(pass.status, uid);
    }
  }

  /** Starts what is due; returns in how many milliseconds to look again. */
  async #start(pass: Pass): Promise<number | undefined> {
    const { spec, metadata } = pass.read;
    if (metadata.deletionTimestamp !== undefined) return undefined;
    const schedule = this.#schedule(pass);
    if (!schedule || spec.suspend) return undefined;
    const dueMs = this.#due(pass, schedule);
    if (dueMs === undefined) return undefined;
    if (dueMs !== 'none' && this.#mayStart(pass, dueMs)) {
      if (spec.concurrencyPolicy === 'Replace') await this.#deleteActive(pass);
      if (!(await this.#create(pass, dueMs))) return undefined;
    }
    return nextLookMs({ ...pass.read, status: pass.status }, schedule, pass.wallMs);
  }

  #schedule(pass: Pass): CronSchedule | undefined {
    const { timeZone, schedule } = pass.read.spec;
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
      this.#tell(pass, 'Warning', 'UnknownTimeZone', message);
      return undefined;
    }
    const parsed = readSchedule(pass.read);
    if (!(parsed instanceof CronError)) return parsed;
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${parsed.message}`;
    this.#tell(pass, 'Warning', 'UnparseableSchedule', message);
    return undefined;
  }

  /** The time that was missed; `none` when there is none, `undefined` when there never will be one. */
  #due(pass: Pass, schedule: CronSchedule): number | 'none' | undefined {
    const back = lookBack(pass.read, schedule, pass.wallMs, true);
    if (back.type === 'impossible') {
      const why = 'time difference between two schedules is less than 1 second';
      this.#tell(pass, 'Warning', 'InvalidSchedule', `invalid schedule: ${pass.read.spec.schedule} : ${why}`);
      return undefined;
    }
    if (back.dueMs === undefined) return 'none';
    if (back.missed === 'many') {
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#tell(pass, 'Warning', 'TooManyMissedTimes', message);
    }
    return back.dueMs;
  }

  #mayStart(pass: Pass, dueMs: number): boolean {
    const { spec } = pass.read;
    const { active = [], lastScheduleTime } = pass.status;
    const deadlineMs = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    if (dueMs + deadlineMs < pass.wallMs) {
      const when = new Date(dueMs).toUTCString().replace('GMT', '+0000');
      this.#tell(pass, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${when}`);
      return false;
    }
    const isStarted = active.some(({ name }) => name === jobNameAt(pass.read, dueMs));
    if (isStarted || lastScheduleTime === timestamp(dueMs)) return false;
    if (spec.concurrencyPolicy !== 'Forbid' || active.length === 0) return true;
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    this.#tell(pass, 'Normal', 'JobAlreadyActive', message);
    return false;
  }

  async #deleteActive(pass: Pass): Promise<void> {
    for (const { name = '', namespace = '' } of pass.status.active ?? []) {
      const job = await this.#context.client.get(Job, `${namespace}/${name}`).catch((error: unknown) => {
        this.#tell(pass, 'Warning', 'FailedGet', `Get job: ${reasonOf(error)}`);
        throw error;
      });
      if (!(await this.#delete(pass, job))) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  /** Whether the Job of this time is there now, and is this CronJob's. */
  async #create(pass: Pass, dueMs: number): Promise<boolean> {
    const job = await this.#createOrFind(pass, dueMs);
    if (!isControlledBy(job, pass.read) || isListed(pass.status, job.metadata.uid)) return false;
    pass.status = { ...withJob(pass.status, job), lastScheduleTime: timestamp(dueMs) };
    return true;
  }

  async #createOrFind(pass: Pass, dueMs: number): Promise<Job> {
    const { client } = this.#context;
    const input = jobAt(pass.read, dueMs);
    try {
      const job = await client.create(Job, input);
      this.#tell(pass, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return job;
    } catch (error) {
      if (isAlreadyExists(error)) return client.get(Job, keyOf(input));
      if (!isNamespaceTerminating(error)) {
        this.#tell(pass, 'Warning', 'FailedCreate', `Error creating job: ${reasonOf(error)}`);
      }
      throw error;
    }
  }

  /** With its pods, in the background; whether it could be done. */
  async #delete(pass: Pass, job: Job): Promise<boolean> {
    try {
      await this.#context.client.delete(Job, keyOf(job), { propagationPolicy: 'Background' });
    } catch (error) {
      this.#tell(pass, 'Warning', 'FailedDelete', `Deleted job: ${reasonOf(error)}`);
      return false;
    }
    pass.status = withoutJob(pass.status, job.metadata.uid);
    this.#tell(pass, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    return true;
  }

  #tell({ read }: Pass, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(read, { type, reason, message });
  }
}

function readSchedule({ spec }: CronJob): CronSchedule | CronError {
  try {
    return parseCron(spec.schedule, spec.timeZone);
  } catch (error) {
    if (error instanceof CronError) return error;
    throw error;
  }
}
