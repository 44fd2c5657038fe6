import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import type { ControlLoopOptions } from './control-loop.ts';
import { reportedStorms } from './storm-report.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: 'then' },
};

test('a storm is told to log, metrics, the object and who listens; its end to the log', async () => {
  for (const cached of [object, undefined]) {
    const clock = new VirtualClock();
    const logger = rememberingLogger();
    const told: unknown[] = [];
    const storms = reportedStorms({
      controller: { name: 'web', for: ConfigMap },
      caches: { store: () => ({ get: () => cached }) },
      clock,
      logger,
      metrics: { storm: () => void told.push('counted'), observeStorms: (seen: object) => void told.push(seen) },
      recorder: { event: (subject: unknown, event: unknown) => void told.push([subject, event]) },
      ...(cached && { onStorm: () => void told.push('heard') }),
    } as unknown as ControlLoopOptions);
    const causes = Array.from({ length: 7 }, (_, i) => `cause ${i}`);
    for (let i = 0; i < 201; i++) {
      storms.begin('ns/a', object, causes);
      storms.ended('ns/a');
    }
    const { message, fields } = logger.lines[0] ?? assert.fail();
    assert.match(message, /^Reconcile storm: Passes without end that write nothing; woken by: /);
    const { causes: named, ...others } = fields as { readonly causes: readonly string[] } & object;
    assert.equal(named.length, 5);
    assert.deepEqual(others, { key: 'ns/a', target: undefined, fields: [], managers: [] });
    const text = message.slice('Reconcile storm: '.length);
    const event = [object, { type: 'Warning', reason: 'ReconcileStorm', message: text }];
    assert.deepEqual(told, [storms, 'counted', ...(cached ? [event, 'heard'] : [])]);
    await clock.advance(300_000);
    const { message: calm, fields: of } = logger.lines[1] ?? assert.fail();
    assert.deepEqual([calm, of], ['The reconcile storm is over', { key: 'ns/a' }]);
  }
});
