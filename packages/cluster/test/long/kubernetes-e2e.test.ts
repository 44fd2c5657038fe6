/**
 * Kubernetes' own conformance specs on API machinery and workloads, against the embedded cluster over HTTPS.
 *
 * Each passes, or is among the expected failures and fails. `KEELSON_SPECS` is a regular expression on the names of those
 * to run; without it, all are.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type E2eResult, e2eSuite } from '@keelson/tools-kubernetes';
import type { Said } from '../cluster-process.ts';
import { expectedFailures } from './expected-failures.ts';

const areas = ['sig-api-machinery', 'sig-apps'];
/** These need a server of the spec's own in a pod. */
const leftOut = /AdmissionWebhook|ConversionWebhook|Aggregator/;
const chosen = process.env.KEELSON_SPECS;

/** Specs that mind no others run beside each other: they wait more than they work. */
const atATime = 6;
/** CronJobs wait for minutes to begin. */
const allowedMs = (name: string) =>
  isExpected(name) ? 60_000 : /CronJob|\[Slow\]/.test(name) ? 15 * 60_000 : 5 * 60_000;

const isExpected = (name: string) => Object.hasOwn(expectedFailures, name);

async function startCluster() {
  const child = fork(fileURLToPath(new URL('../cluster-process.ts', import.meta.url)));
  const said = async (): Promise<Said> => ((await once(child, 'message')) as [Said])[0];
  const first = await said();
  return {
    kubeconfig: 'kubeconfig' in first ? first.kubeconfig : '',
    async memory(): Promise<NodeJS.MemoryUsage | undefined> {
      child.send('memory');
      const answer = await said();
      return 'memory' in answer ? answer.memory : undefined;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

test("Kubernetes' own specs pass, but for those that need a real container or what is out of scope", async (t) => {
  const suite = await e2eSuite();
  await using cluster = await startCluster();
  const { kubeconfig } = cluster;
  const names = suite.specs.filter(
    (name) =>
      areas.some((area) => name.startsWith(`[${area}] `)) &&
      name.includes('[Conformance]') &&
      !leftOut.test(name) &&
      new RegExp(chosen ?? '').test(name),
  );
  const results = new Map<string, E2eResult>();
  const runAll = async (specs: readonly string[], width: number) => {
    const left = specs.values();
    const worker = async () => {
      for (const name of left) {
        const result = await suite.run(name, { kubeconfig, timeoutMs: allowedMs(name) });
        results.set(name, result);
        const { state, message, durationMs } = result;
        t.diagnostic(`${state} in ${Math.round(durationMs / 1000)} s: ${name} ${message.slice(0, 500)}`);
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
  const isSerial = (name: string) => name.includes('[Serial]');
  await runAll(
    names.filter((name) => !isSerial(name)),
    atATime,
  );
  await runAll(names.filter(isSerial), 1);

  const hasPassed = (name: string) => results.get(name)?.state === 'passed';
  for (const area of areas) {
    const ofArea = names.filter((name) => name.startsWith(`[${area}] `));
    t.diagnostic(`${area}: ${ofArea.filter(hasPassed).length} of ${ofArea.length} passed`);
  }
  const { rss = 0, heapUsed = 0, arrayBuffers = 0 } = (await cluster.memory()) ?? {};
  const inMb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  t.diagnostic(`the cluster: ${inMb(rss)} resident, ${inMb(heapUsed)} of heap, ${inMb(arrayBuffers)} of array buffers`);
  assert.deepEqual(
    {
      failed: names.filter((name) => !hasPassed(name) && !isExpected(name)),
      passedUnexpectedly: names.filter((name) => hasPassed(name) && isExpected(name)),
      unknown: Object.keys(expectedFailures).filter((name) => !suite.specs.includes(name)),
    },
    { failed: [], passedUnexpectedly: [], unknown: [] },
  );
});
