import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@keelson/tools-kubernetes';
import { reactionsMs, requestsIn } from './audit.ts';

const entry = (verb: string, fields: Partial<AuditEntry> = {}): AuditEntry => ({
  stage: 'ResponseComplete',
  verb,
  requestURI: '/',
  requestReceivedTimestamp: '2026-11-17T13:00:00.000000Z',
  stageTimestamp: '2026-11-17T13:00:00.000000Z',
  user: { username: 'operator' },
  objectRef: { resource: 'deployments', name: 'a' },
  ...fields,
});

test('requests are counted once each, and discovery is none', () => {
  const { objectRef: _, ...discovery } = entry('get', { requestURI: '/apis' });
  const entries = [
    entry('list'),
    entry('watch', { stage: 'ResponseStarted' }),
    entry('watch'), // the end of that watch
    entry('create'),
    entry('patch'),
    discovery,
  ];
  assert.deepEqual(requestsIn(entries), { reads: 2, writes: 2 });
});

test('a reaction is from the answer of a create to the first write for that name', () => {
  const creates = ['a', 'b', 'c'].map((name) =>
    entry('create', { objectRef: { resource: 'caches', name }, stageTimestamp: '2026-11-17T13:00:00.000100Z' }),
  );
  const at = (name: string, verb: string, requestReceivedTimestamp: string) =>
    entry(verb, { objectRef: { resource: 'deployments', name }, requestReceivedTimestamp });
  const operator = [
    at('a', 'patch', '2026-11-17T13:00:00.500000Z'),
    at('a', 'create', '2026-11-17T13:00:00.002600Z'),
    at('b', 'get', '2026-11-17T13:00:00.001000Z'),
    at('b', 'create', '2026-11-17T13:00:01.000100Z'),
  ];
  assert.deepEqual(reactionsMs(creates, operator), [2.5, 1000, Number.NaN]);
});
