/** Every marker's counterpart on real Kubernetes: accepted, structural, and judged there as it is here. */
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { after, before, describe, test } from 'node:test';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { compareAnswers, holding, installMarkedKinds } from '../markers/agreement.ts';
import { markedKinds } from '../markers/marked-kinds.ts';
import { connect, type Server } from '../recorded/real-server.ts';

const found = await availability();

describe('marked kinds on real Kubernetes', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  let server: Server;

  before(async () => {
    kube = await startKubernetes({ controllers: false });
    server = await connect(kube);
  });
  after(async () => {
    server?.[Symbol.dispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  test('are accepted, more than sixty schemas at once, established and structural', async () => {
    const installed = await installMarkedKinds(server);
    assert.ok(installed.flatMap(({ spec }) => spec.versions).length > 60);
    assert.equal(installed.length, markedKinds.length);
    for (const each of installed) assert.deepEqual(holding(each), ['Established', 'NamesAccepted'], each.metadata.name);
  });

  test('judge 2,000 random objects as local validation does', async (context) => {
    const seed = Number(env.KEELSON_SEED ?? 1);
    context.diagnostic(`KEELSON_SEED=${seed}`);
    const { accepted, refused, disagreements } = await compareAnswers(server, 30, seed);
    context.diagnostic(`${accepted} accepted, ${refused} refused`);
    assert.deepEqual(disagreements, [], `KEELSON_SEED=${seed}`);
    assert.ok(accepted + refused >= 2000);
    assert.ok(accepted > 500 && refused > 500);
  });
});
