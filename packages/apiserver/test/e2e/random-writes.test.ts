/** Random writes by several managers leave the same objects and owners as on a real API server. `KEELSON_SEED` gives others. */
import { env } from 'node:process';
import { after, before, describe, test } from 'node:test';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import * as fc from 'fast-check';
import { gadgetSteps, randomCase } from '../recorded/random-gadgets.ts';
import { connect, prepare } from '../recorded/real-server.ts';
import { record, type Server } from '../recorded/recording.ts';
import { replay } from '../recorded/replay.ts';

const found = await availability();

describe('random writes', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  let server: Server & Disposable;

  before(async () => {
    kube = await startKubernetes();
    server = await connect(kube);
    await prepare(kube, server);
  });
  after(async () => {
    server?.[Symbol.dispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  test('are answered by our functions as by the server', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(gadgetSteps, async (steps) => {
        runs += 1;
        const written = randomCase(`random-${runs}`, steps);
        replay({ ...written, answers: await record(server, written) });
      }),
      { numRuns: 150, seed: Number(env.KEELSON_SEED ?? 1) },
    );
  });
});
