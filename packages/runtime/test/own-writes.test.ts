/** Reads see own writes in a reconciler, in virtual time: while a watch lags, no pass does again what one before did. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, operator, removable, type Transport } from '@keelson/core';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { type HoldableTransport, holdable } from '../../client/test/holdable.ts';
import { controller, requeueAfter } from '../src/index.ts';

/** Holds every watch of the operator back, from `hold` to `release`. */
function lag() {
  let held: HoldableTransport | undefined;
  return {
    intercept(transport: Transport): Transport {
      held = holdable(transport);
      return { ...held, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
    },
    hold: () => held?.hold(),
    release: () => held?.release(),
  };
}

test('what a pass writes with any verb is there for the next pass, however late the watch is', async () => {
  const watches = lag();
  const writes: string[] = [];
  const seen: string[] = [];
  const place = { namespace: 'default' };
  const steps = controller({
    for: ConfigMap,
    owns: [removable(Secret)],
    needs: [allow(ConfigMap, 'patch', 'update')],
    async reconcile(object, { cache, client, owned }) {
      if (object.metadata.name !== 'main') return requeueAfter(3_600_000);
      const names = cache.list(Secret, { ...place, labels: { of: 'main' } }).map(({ metadata }) => metadata.name);
      seen.push(`${object.data?.step ?? 'none'}: ${names.join(' ') || 'nothing'}`);
      const write = async (what: string, done: Promise<unknown>) => {
        writes.push(what);
        await done;
      };
      const secret = { metadata: { ...place, name: 'owned', labels: { of: 'main' } } };
      switch (object.data?.step) {
        case undefined:
          await write('patch', client.patch(ConfigMap, 'default/main', { data: { step: 'patched' } }));
          break;
        case 'patched':
          await write('update', client.update(ConfigMap, { ...object, data: { step: 'updated' } }));
          break;
        case 'updated':
          if (names.length === 0) await write('apply', owned.apply(Secret, secret));
          else if (names.length === 1)
            await write(
              'create',
              client.create(Secret, { metadata: { ...place, name: 'live', labels: { of: 'main' } } }),
            );
          else await write('patch', client.patch(ConfigMap, 'default/main', { data: { step: 'made' } }));
          break;
        default:
          if (names.includes('owned')) await write('absent', owned.absent(Secret, 'owned'));
          else if (names.includes('live')) await write('delete', client.delete(Secret, 'default/live'));
      }
      return requeueAfter(100);
    },
  });
  await using running = await startCluster({
    operators: [operator({ name: 'steps', controllers: [steps] })],
    intercept: watches.intercept,
  });
  using _released = { [Symbol.dispose]: watches.release }; // or the operator could not stop
  await running.client.create(ConfigMap, { metadata: { ...place, name: 'main' } });
  await running.clock.settle();
  watches.hold();
  await running.clock.advance(5000);
  assert.deepEqual(writes, ['patch', 'update', 'apply', 'create', 'patch', 'absent', 'delete']);
  assert.deepEqual(
    [...new Set(seen)],
    [
      'none: nothing',
      'patched: nothing',
      'updated: nothing',
      'updated: owned',
      'updated: owned live',
      'made: owned live',
      'made: live',
      'made: nothing',
    ],
  );
  watches.release();
  await running.clock.advance(5000);
  assert.equal(writes.length, 7, 'and nothing is done again when the watch catches up');
});
