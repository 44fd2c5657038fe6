import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@keelson/testing';
import { certificate, key } from '../../test/certificate.ts';
import { rememberingLogger } from '../../test/widget.ts';
import { stopSchedule } from './stop-schedule.ts';
import { type WebhookDoor, webhooksAt } from './webhooks.ts';

test('webhooks are ready for as long as somebody can call them', async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  using schedule = stopSchedule(signal, clock, 1000);
  const door: WebhookDoor = () => ({ [Symbol.dispose]() {} });
  for (const place of [door, { host: '127.0.0.1', port: 0, tls: { certificate, key } }]) {
    const parts = { logger: rememberingLogger(), clock } as unknown as Parameters<typeof webhooksAt>[2];
    const webhooks = webhooksAt(() => assert.fail(), place, parts);
    const problem = () => webhooks.checks.find(({ name }) => name === 'webhook')?.problem;
    assert.equal(problem(), 'the server does not listen');
    const opened = await webhooks.open(signal, schedule);
    assert.equal(problem(), undefined);
    await opened[Symbol.asyncDispose]();
    assert.equal(problem(), 'the server does not listen');
  }
});
