/** CronJobs: defaults, schedules, time zones, and the template of their Jobs. */
import type { Area, Proof } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { age, exactly } from '../match.ts';
import { cronJobs as cronJobsIn } from '../paths.ts';
import { causeOf, invalid } from '../refusals.ts';

const dryRun = { query: { dryRun: 'All' } };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const podSpec = { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'example.com/main:1' }] };
const jobTemplate = { spec: { template: { spec: podSpec } } };

/** Suspended, so that no controller makes anything of it. */
const cronJob = (spec: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'a', ...metadata },
  spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate, ...spec },
});

const refused =
  (spec: Fields, ...causes: readonly string[]): Proof =>
  async (t) => {
    const answer = await t.post(cronJobsIn(await t.namespace()), cronJob(spec), dryRun);
    answer.refuses(invalid('CronJob.batch', 'a', ...causes.map(causeOf)));
  };

/** Schedules that are read, with fields, names, steps and words. */
const good = [
  '* * * * *',
  '*/5 0-12/3 1,15 JAN-mar ?',
  '5/20 * * * sun,6',
  ' 0  0 * * * ',
  ', * * * *',
  '59 23 31 2 *',
  '@hourly',
  '@midnight',
  '@annually',
  '@every 1h30m',
  '@every -1.5s',
];

/** Schedules that are not, and what is said of each. */
const bad: Readonly<Record<string, string>> = {
  '* * * *': 'expected exactly 5 fields, found 4: [* * * *]',
  '0 * * * * *': 'expected exactly 5 fields, found 6: [0 * * * * *]',
  '60 * * * *': 'end of range (60) above maximum (59): 60',
  '* * 0 * *': 'beginning of range (0) below minimum (1): 0',
  '* * * * 7': 'end of range (7) above maximum (6): 7',
  '5-1 * * * *': 'beginning of range (5) beyond end of range (1): 5-1',
  '*/0 * * * *': 'step of range should be a positive number: */0',
  '*/-2 * * * *': 'negative number (-2) not allowed: -2',
  '1-2-3 * * * *': 'too many hyphens: 1-2-3',
  '*/1/2 * * * *': 'too many slashes: */1/2',
  'x * * * *': 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
  '* * L * *': 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax',
  '99999999999999999999 * * * *':
    'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
  '@reboot': 'unrecognized descriptor: @reboot',
  '@every 5': 'failed to parse duration @every 5: time: missing unit in duration "5"',
  '@every 1d': 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"',
  '@every x': 'failed to parse duration @every x: time: invalid duration "x"',
};

const zoneInSchedule = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';

export const cronJobs: Area = {
  name: 'cron jobs',
  proves: ['B2'],
  cases: {
    'allow Jobs side by side, and keep three good ones and a bad one': async (t) => {
      const body = cronJob({ suspend: undefined });
      (await t.post(cronJobsIn(await t.namespace()), body, dryRun)).is(201, {
        metadata: { generation: 1 },
        spec: {
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
          // What a Job has by default is filled in when a Job is made.
          jobTemplate: {
            spec: exactly({ template: { metadata: {}, spec: (value: unknown) => value !== undefined } }),
          },
        },
        status: exactly({}),
      });
    },

    'have schedules of five fields, or of a word': async (t) => {
      const path = cronJobsIn(await t.namespace());
      for (const schedule of good) (await t.post(path, cronJob({ schedule }), dryRun)).is(201, { spec: { schedule } });
    },

    'have schedules that can be read': async (t) => {
      const path = cronJobsIn(await t.namespace());
      for (const [schedule, why] of Object.entries(bad)) {
        (await t.post(path, cronJob({ schedule }), dryRun)).refuses(
          invalid('CronJob.batch', 'a', causeOf(`spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${why}`)),
        );
      }
    },

    'need a schedule': refused({ schedule: '' }, 'spec.schedule: Required value'),

    'have no time zone in their schedule': refused(
      { schedule: 'TZ=UTC * * * * *' },
      `spec.schedule: Invalid value: "TZ=UTC * * * * *": ${zoneInSchedule}`,
    ),

    'have no time zone in their schedule, and none that does not exist': refused(
      { schedule: 'CRON_TZ=Nowhere/Land * * * * *' },
      'spec.schedule: Invalid value: "CRON_TZ=Nowhere/Land * * * * *": provided bad location Nowhere/Land: unknown time zone Nowhere/Land',
      `spec.schedule: Invalid value: "CRON_TZ=Nowhere/Land * * * * *": ${zoneInSchedule}`,
    ),

    'survive a time zone without an end': refused(
      { schedule: 'TZ=0' },
      'spec.schedule: Invalid value: "TZ=0": invalid schedule format: runtime error: slice bounds out of range [:-1]',
      `spec.schedule: Invalid value: "TZ=0": ${zoneInSchedule}`,
    ),

    'know the time zones of the world': async (t) => {
      const path = cronJobsIn(await t.namespace());
      for (const timeZone of ['UTC', 'Europe/Berlin', 'US/Eastern', 'Etc/GMT+5', 'Asia/Calcutta', 'Europe/Kyiv']) {
        (await t.post(path, cronJob({ timeZone }), dryRun)).is(201, { spec: { timeZone } });
      }
    },

    'know no other time zones, and those by their exact names': async (t) => {
      const path = cronJobsIn(await t.namespace());
      const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
      const why: Readonly<Record<string, string>> = {
        '': 'timeZone must be nil or non-empty string',
        Local: explicit,
        'Nowhere/Land': 'unknown time zone Nowhere/Land',
        'europe/berlin': 'unknown time zone europe/berlin',
        'EUROPE/BERLIN': 'unknown time zone EUROPE/BERLIN',
        '+01:00': 'unknown time zone +01:00',
        'Europe/../UTC': 'unknown time zone Europe/../UTC',
        'Europe/Berlinnnnnnnnnn': 'unknown time zone Europe/Berlinnnnnnnnnn',
      };
      for (const [timeZone, detail] of Object.entries(why)) {
        const cause = causeOf(`spec.timeZone: Invalid value: ${JSON.stringify(timeZone)}: ${detail}`);
        (await t.post(path, cronJob({ timeZone }), dryRun)).refuses(invalid('CronJob.batch', 'a', cause));
      }
    },

    'know three policies, and count from zero': refused(
      {
        concurrencyPolicy: 'Queue',
        startingDeadlineSeconds: -1,
        successfulJobsHistoryLimit: -2,
        failedJobsHistoryLimit: -3,
      },
      'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
      'spec.successfulJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0',
      'spec.failedJobsHistoryLimit: Invalid value: -3: must be greater than or equal to 0',
    ),

    'leave the selector of their Jobs to the server': refused(
      {
        jobTemplate: {
          spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: { spec: podSpec } },
        },
      },
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ),

    'judge the template as a Job': refused(
      { jobTemplate: { spec: { parallelism: -1, template: { spec: { containers: podSpec.containers } } } } },
      'spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ),

    'have names with room for a time': async (t) => {
      const name = 'n'.repeat(53);
      const cause = causeOf(`metadata.name: Invalid value: "${name}": must be no more than 52 characters`);
      (await t.post(cronJobsIn(await t.namespace()), cronJob({}, { name }), dryRun)).refuses(
        invalid('CronJob.batch', name, cause),
      );
    },

    'may change whatever they have, and are judged again': async (t) => {
      const path = cronJobsIn(await t.namespace());
      (await t.post(path, cronJob())).is(201);
      const change = { schedule: '@daily', timeZone: 'Asia/Tokyo', concurrencyPolicy: 'Replace' };
      (await t.mergePatch(`${path}/a`, { spec: change })).is(200, { metadata: { generation: 2 }, spec: change });
      const cause = causeOf('spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus');
      (await t.mergePatch(`${path}/a`, { spec: { timeZone: 'Mars/Olympus' } })).refuses(
        invalid('CronJob.batch', 'a', cause),
      );
    },

    'are shown with their schedule': async (t) => {
      const path = cronJobsIn(await t.namespace());
      (await t.post(path, cronJob({ timeZone: 'UTC' }))).is(201);
      const cells = ['a', '0 0 1 1 *', 'UTC', 'True', 0, '<none>', age, 'main', 'example.com/main:1', '<none>'];
      (await t.get(`${path}/a`, { headers: table })).is(200, { rows: [{ cells }] });
    },
  },
};
