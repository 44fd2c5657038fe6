import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@keelson/core';
import { createMetrics } from './metrics.ts';

function given() {
  let now = 0;
  const clock: Clock = { now: () => now, monotonic: () => now, setTimer: () => assert.fail('metrics need no timer') };
  const metrics = createMetrics({ clock, host: 'server' });
  return {
    metrics,
    advance: (ms: number) => {
      now += ms;
    },
    /** The lines of a metric, without what explains them. */
    async lines(name: string) {
      const text = await metrics.registry.metrics();
      return text.split('\n').filter((line) => line.startsWith(name));
    },
  };
}

const request = { code: '200', method: 'GET', durationMs: 0, requestBytes: 0, responseBytes: 0 };

/** The upper ends of the buckets of a histogram. */
const bucketsIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /_bucket\{le="([^"]+)"/.exec(line)?.[1] ?? []).join(' ');

test('what a controller counts is there from the beginning, as zero', async () => {
  const { metrics, lines } = given();
  metrics.controller('web');
  const of = (result: string) => `controller_runtime_reconcile_total{controller="web",result="${result}"} 0`;
  assert.deepEqual(await lines('controller_runtime_reconcile_total'), [
    of('success'),
    of('error'),
    of('requeue'),
    of('requeue_after'),
  ]);
  for (const name of [
    'keelson_reconcile_storms_total',
    'controller_runtime_reconcile_errors_total',
    'controller_runtime_terminal_reconcile_errors_total',
    'controller_runtime_reconcile_timeouts_total',
  ])
    assert.deepEqual(await lines(name), [`${name}{controller="web"} 0`]);
  for (const name of ['workqueue_adds_total', 'workqueue_retries_total'])
    assert.deepEqual(await lines(name), [`${name}{name="web",controller="web"} 0`]);
});

test('a reconcile is counted by its result, with its duration, and as a running worker until it ends', async () => {
  const { metrics, lines, advance } = given();
  const web = metrics.controller('web');
  const value = async (name: string) => (await lines(`${name}{`)).map((line) => Number(line.split(' ').at(-1)));
  const end = web.begin();
  assert.deepEqual(await value('controller_runtime_active_workers'), [1]);
  advance(1500);
  end('success');
  for (const result of ['error', 'terminal', 'requeue', 'requeue_after'] as const) web.begin()(result);
  assert.deepEqual(await value('controller_runtime_active_workers'), [0]);
  assert.deepEqual(await value('controller_runtime_reconcile_total'), [1, 2, 1, 1]);
  assert.deepEqual(await value('controller_runtime_reconcile_errors_total'), [2]);
  assert.deepEqual(await value('controller_runtime_terminal_reconcile_errors_total'), [1]);
  assert.deepEqual(await value('controller_runtime_reconcile_time_seconds_sum'), [1.5]);
  assert.deepEqual(await value('controller_runtime_reconcile_time_seconds_count'), [5]);
  web.timedOut();
  assert.deepEqual(await value('controller_runtime_reconcile_timeouts_total'), [1]);
  web.setConcurrency(3);
  assert.deepEqual(await value('controller_runtime_max_concurrent_reconciles'), [3]);
});

test('a queue is measured in seconds, under the name of its controller', async () => {
  const { metrics, lines } = given();
  const { queue, observe } = metrics.controller('web');
  queue.added?.();
  queue.added?.();
  queue.retried?.();
  queue.depth?.(-100, 4);
  queue.taken?.(250);
  queue.done?.(1500);
  observe({ inProgress: () => ({ keys: 2, unfinishedMs: 3000, longestMs: 2000 }) });
  const labels = 'name="web",controller="web"';
  for (const line of [
    `workqueue_adds_total{${labels}} 2`,
    `workqueue_retries_total{${labels}} 1`,
    `workqueue_depth{${labels},priority="-100"} 4`,
    `workqueue_queue_duration_seconds_sum{${labels}} 0.25`,
    `workqueue_work_duration_seconds_sum{${labels}} 1.5`,
    `workqueue_unfinished_work_seconds{${labels}} 3`,
    `workqueue_longest_running_processor_seconds{${labels}} 2`,
  ])
    assert.deepEqual(await lines(`${line.split('{')[0]}{`), [line]);
});

test('storms, leadership and requests are measured', async () => {
  const { metrics, lines } = given();
  const web = metrics.controller('web');
  web.storm();
  web.observeStorms({ count: 2 });
  assert.deepEqual(await lines('keelson_reconcile'), [
    'keelson_reconcile_storms_total{controller="web"} 1',
    'keelson_reconcile_slowed_objects{controller="web"} 2',
  ]);
  metrics.leader.leads('lease', true);
  assert.deepEqual(await lines('leader_election'), ['leader_election_master_status{name="lease"} 1']);
  metrics.leader.leads('lease', false);
  assert.deepEqual(await lines('leader_election'), ['leader_election_master_status{name="lease"} 0']);
  metrics.requests.finished?.({ ...request, durationMs: 500 });
  assert.deepEqual(await lines('rest_client_requests_total'), [
    'rest_client_requests_total{code="200",host="server",method="GET"} 1',
  ]);
  assert.deepEqual(await lines('rest_client_request_duration_seconds_sum'), [
    'rest_client_request_duration_seconds_sum{verb="GET",host="server"} 0.5',
  ]);
});

test("the buckets are controller-runtime's and client-go's", async () => {
  const { metrics, lines } = given();
  const web = metrics.controller('web');
  web.begin()('success');
  web.queue.taken?.(0);
  metrics.requests.finished?.(request);
  assert.equal(
    bucketsIn(await lines('controller_runtime_reconcile_time_seconds')),
    '0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60 +Inf',
  );
  assert.equal(
    bucketsIn(await lines('workqueue_queue_duration_seconds')),
    '1e-8 1e-7 0.000001 0.00001 0.0001 0.001 0.01 0.1 1 10 100 1000 +Inf',
  );
  assert.equal(
    bucketsIn(await lines('rest_client_request_duration_seconds')),
    '0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60 +Inf',
  );
});
