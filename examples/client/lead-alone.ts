/** Several copies of this program run; one leads, and only that one writes. `lead-alone.ts IDENTITY` */
import { once } from 'node:events';
import { connect, createClient, createLeaderElection, isLeadershipLost, loadConfig } from '@keelson/client';
import { ConfigMap } from '@keelson/core/v1';

const identity = process.argv[2] ?? 'me';
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

await using transport = connect(await loadConfig());
const client = createClient({ transport, fieldManager: 'lead-alone' });
const election = createLeaderElection({
  client,
  lease: 'default/lead-alone',
  identity,
  onLeader: (leader) => console.log(`${identity} sees ${leader ?? 'nobody'} lead`),
  onError: (error) => console.error(error.message), // it goes on
});

while (!stop.signal.aborted) {
  const term = await election.win(stop.signal).catch(() => undefined); // rejects only when it is told to stop
  if (!term) break;
  await using held = term; // gives the Lease back at the end, so that another need not wait for it to run out
  const leading = client.with({ guard: held.assertCurrent, signal: held.signal });
  try {
    await leading.apply(ConfigMap, { metadata: { namespace: 'default', name: 'leader' }, data: { identity } });
    console.log(`${identity} wrote`);
    const over = AbortSignal.any([stop.signal, held.signal]);
    if (!over.aborted) await once(over, 'abort'); // here a controller would work
    held.assertCurrent();
  } catch (error) {
    if (!isLeadershipLost(error)) throw error;
    console.log(`${identity}: ${error.message}`); // and competes again
  }
}
