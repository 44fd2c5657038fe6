import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from './cron.ts';
import { isTimeZone, zonedTimestamp } from './zoned-time.ts';

/** Schedule, zone, a time, and the next three as Kubernetes' own library gives them; `-` where it gives up. */
const times: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    '*/15 * * * *',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-01-31T11:00:00Z', '2026-01-31T11:15:00Z', '2026-01-31T11:30:00Z'],
  ],
  [
    '5/20 3-9/3 * * *',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-02-01T03:05:00Z', '2026-02-01T03:25:00Z', '2026-02-01T03:45:00Z'],
  ],
  [
    '0 0 31 * *',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-03-31T00:00:00Z', '2026-05-31T00:00:00Z', '2026-07-31T00:00:00Z'],
  ],
  [
    '0 12 13 * FRI',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-02-06T12:00:00Z', '2026-02-13T12:00:00Z', '2026-02-20T12:00:00Z'],
  ],
  [
    '0 12 13 * */2',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-01-31T12:00:00Z', '2026-02-01T12:00:00Z', '2026-02-03T12:00:00Z'],
  ],
  [
    '0 12 */10 * mon',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-01-31T12:00:00Z', '2026-02-01T12:00:00Z', '2026-02-02T12:00:00Z'],
  ],
  [
    '0 0 29 feb ?',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z', '2036-02-29T00:00:00Z'],
  ],
  [
    '30 6-16/4 * * 1-5',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2026-02-02T06:30:00Z', '2026-02-02T10:30:00Z', '2026-02-02T14:30:00Z'],
  ],
  ['59 23 31 2 *', 'UTC', '2026-01-31T10:59:30Z', ['-']],
  [', * * * *', 'UTC', '2026-01-31T10:59:30Z', ['-']],
  ['@hourly', 'UTC', '2026-01-31T10:59:30Z', ['2026-01-31T11:00:00Z', '2026-01-31T12:00:00Z', '2026-01-31T13:00:00Z']],
  ['@daily', 'UTC', '2026-01-31T10:59:30Z', ['2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', '2026-02-03T00:00:00Z']],
  ['@weekly', 'UTC', '2026-01-31T10:59:30Z', ['2026-02-01T00:00:00Z', '2026-02-08T00:00:00Z', '2026-02-15T00:00:00Z']],
  ['@monthly', 'UTC', '2026-01-31T10:59:30Z', ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z']],
  [
    '@annually',
    'UTC',
    '2026-01-31T10:59:30Z',
    ['2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z', '2029-01-01T00:00:00Z'],
  ],
  [
    '@every 1h30m',
    'UTC',
    '2026-01-31T10:59:30.500Z',
    ['2026-01-31T12:29:30Z', '2026-01-31T13:59:30Z', '2026-01-31T15:29:30Z'],
  ],
  [
    '@every 10ms',
    'UTC',
    '2026-01-31T10:59:30.500Z',
    ['2026-01-31T10:59:31Z', '2026-01-31T10:59:32Z', '2026-01-31T10:59:33Z'],
  ],
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-30T00:30:00Z', '2026-03-31T00:30:00Z', '2026-04-01T00:30:00Z'],
  ],
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
  ],
  [
    '*/30 1-3 * * *',
    'America/New_York',
    '2026-03-07T12:00:00Z',
    ['2026-03-08T06:00:00Z', '2026-03-08T06:30:00Z', '2026-03-08T07:00:00Z'],
  ],
  [
    '0 0 * * *',
    'America/Sao_Paulo',
    '2018-11-03T12:00:00Z',
    ['2018-11-05T02:00:00Z', '2018-11-06T02:00:00Z', '2018-11-07T02:00:00Z'],
  ],
  [
    '15 * * * *',
    'Australia/Lord_Howe',
    '2026-04-04T12:00:00Z',
    ['2026-04-04T12:15:00Z', '2026-04-04T13:15:00Z', '2026-04-04T14:15:00Z'],
  ],
  [
    '@midnight',
    'Asia/Kolkata',
    '2026-01-31T10:59:30Z',
    ['2026-01-31T18:30:00Z', '2026-02-01T18:30:00Z', '2026-02-02T18:30:00Z'],
  ],
];

test('the next times are those of Kubernetes, whatever the clocks do', () => {
  for (const [schedule, zone, after, expected] of times) {
    const parsed = parseCron(schedule, zone);
    let at: number | undefined = Date.parse(after);
    const found: string[] = [];
    while (found.length < expected.length && at !== undefined) {
      at = parsed.next(at);
      found.push(at === undefined ? '-' : new Date(at).toISOString().replace('.000', ''));
    }
    assert.deepEqual(found, expected, `${schedule} in ${zone} after ${after}`);
  }
});

/** What Kubernetes says of a schedule that it does not read. */
const refusals: readonly (readonly [string, string])[] = [
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['* * * * SUNDAY', 'failed to parse int from SUNDAY: strconv.Atoi: parsing "SUNDAY": invalid syntax'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['*/2/3 * * * *', 'too many slashes: */2/3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
  ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['1.5 * * * *', 'failed to parse int from 1.5: strconv.Atoi: parsing "1.5": invalid syntax'],
  [
    '99999999999999999999 * * * *',
    'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ['* * L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
  ['* * * * MON#2', 'failed to parse int from MON#2: strconv.Atoi: parsing "MON#2": invalid syntax'],
  ['@reboot', 'unrecognized descriptor: @reboot'],
  ['@every', 'unrecognized descriptor: @every'],
  ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ['@every 1x', 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'],
  ['@every .s', 'failed to parse duration @every .s: time: invalid duration ".s"'],
  ['@every 9999999h', 'failed to parse duration @every 9999999h: time: invalid duration "9999999h"'],
  ['TZ=0', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ['TZ=Nowhere/Land * * * * *', 'provided bad location Nowhere/Land: unknown time zone Nowhere/Land'],
  ['', 'empty spec string'],
];

test('what Kubernetes refuses is refused in its words', () => {
  for (const [schedule, message] of refusals) {
    assert.throws(() => parseCron(schedule), { name: 'CronError', message }, schedule);
  }
});

test('a zone in the schedule is read as well', () => {
  const parsed = parseCron('CRON_TZ=Asia/Tokyo 0 9 * * *');
  assert.equal(parsed.next(Date.parse('2026-01-01T00:00:00Z')), Date.parse('2026-01-02T00:00:00Z'));
});

test('time zones are known by their exact names', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'US/Eastern', 'Etc/GMT+5', 'Asia/Calcutta'])
    assert.ok(isTimeZone(name), name);
  for (const name of ['', 'Local', 'europe/berlin', 'EUROPE/BERLIN', '+01:00', 'Nowhere/Land', 'utc']) {
    assert.ok(!isTimeZone(name), name);
  }
});

test('a timestamp has the offset of its zone', () => {
  const at = Date.parse('2026-07-01T12:00:00.900Z');
  assert.equal(zonedTimestamp(at, 'UTC'), '2026-07-01T12:00:00Z');
  assert.equal(zonedTimestamp(at, 'Europe/Berlin'), '2026-07-01T14:00:00+02:00');
  assert.equal(zonedTimestamp(at, 'America/St_Johns'), '2026-07-01T09:30:00-02:30');
});
