import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { type QuietServerOptions, quietServer } from '../../test/quiet-server.ts';
import { rememberingLogger } from '../../test/widget.ts';
import { type ControllerOptions, controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import { createManager } from '../manager/manager.ts';
import type { PlannedPass } from './planned-pass.ts';

type Options = Partial<ControllerOptions<{ for: typeof ConfigMap }>> & { readonly finalizer?: string };

/** The plan of a controller of ConfigMaps. */
function planned(options: Options, server: QuietServerOptions = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const passes: PlannedPass[] = [];
  const transport = quietServer(server);
  const stop = new AbortController();
  const one = controller({ for: ConfigMap, reconcile: async () => done, ...options });
  const plan = (pass: PlannedPass) => void passes.push(pass);
  const manager = createManager(operator({ name: 'web', controllers: [one] }), { transport, clock, logger, plan });
  const ended = manager.start(stop.signal).then(
    () => 'planned',
    (error: Error) => error.message,
  );
  return { clock, logger, passes, requests: transport.requests, stop, ended };
}

test('objects come in the order of their names, one by one, and each is told', async () => {
  const seen: string[] = [];
  const reconcile: Options['reconcile'] = async ({ metadata }, { plan, settings }) => {
    seen.push(`${metadata.name} ${plan} ${settings}`);
    return done;
  };
  const { clock, passes, ended } = planned({ reconcile }, { names: ['b', 'c', 'a'] });
  await clock.advance(1000);
  assert.equal(await ended, 'planned');
  assert.deepEqual(seen, ['a true undefined', 'b true undefined', 'c true undefined']);
  const one = { group: '', kind: 'ConfigMap', key: 'default/a' };
  assert.deepEqual(passes[0], {
    ...one,
    controller: 'configmap',
    step: 'reconcile',
    changes: [],
    unchanged: [one],
    events: [],
  });
  assert.deepEqual(
    passes.map(({ key }) => key),
    ['default/a', 'default/b', 'default/c'],
  );
});

test('what is wrong with a pass is told as it is otherwise', async () => {
  const cases: readonly (readonly [() => unknown, string])[] = [
    [() => undefined, 'reconcile returned nothing; it must return done or requeueAfter(ms)'],
    [
      () => {
        throw undefined;
      },
      'reconcile threw undefined, which is no Error and tells nobody where',
    ],
  ];
  for (const [answer, message] of cases) {
    const told: unknown[] = [];
    const { clock, passes, ended } = planned({
      reconcile: async () => answer() as never,
      onError(_, error, { events }) {
        told.push(error);
        events.warning('Failed', 'so it is');
        return undefined;
      },
    });
    await clock.advance(1000);
    assert.equal(await ended, 'planned');
    assert.equal(passes[0]?.error?.message, message);
    assert.deepEqual(told, [passes[0]?.error]);
    assert.deepEqual(passes[0]?.events, [{ type: 'Warning', reason: 'Failed', message: 'so it is' }]);
  }
});

test('the finalizer is planned before the first pass, and what is being deleted is told', async () => {
  const seen: unknown[] = [];
  const finalizer = 'example.com/web';
  const reconcile: Options['reconcile'] = async ({ metadata }) => {
    seen.push(metadata.finalizers);
    return done;
  };
  const { clock, passes, requests, ended } = planned({ reconcile, finalizer, finalize: async () => assert.fail() });
  await clock.advance(1000);
  assert.equal(await ended, 'planned');
  assert.deepEqual(seen, [[finalizer]]);
  assert.deepEqual(passes[0]?.changes[0]?.after?.metadata.finalizers, [finalizer]);
  assert.ok(requests.every(({ method }) => method === 'GET'));
});

test('a list that does not come ends the plan when its time is up, and so does a stop', async () => {
  const silent = planned({ cacheSyncTimeoutMs: 2000 }, { names: undefined });
  await silent.clock.advance(1999);
  assert.deepEqual(silent.passes, []);
  await silent.clock.advance(200);
  assert.equal(
    await silent.ended,
    'nothing is planned: configmaps cannot be watched: its first list is not complete after 2 s',
  );
  const stopped = planned({}, { names: undefined });
  await stopped.clock.advance(1000);
  stopped.stop.abort(new Error('SIGINT'));
  await stopped.clock.advance(1000);
  assert.equal(await stopped.ended, 'SIGINT');
});

test('a stop during a pass ends the plan after it', async () => {
  const begun: string[] = [];
  const world = planned(
    {
      async reconcile({ metadata }) {
        begun.push(metadata.name);
        world.stop.abort(new Error('SIGINT'));
        return done;
      },
    },
    { names: ['a', 'b'] },
  );
  await world.clock.advance(1000);
  assert.equal(await world.ended, 'SIGINT');
  assert.deepEqual(begun, ['a']);
});
