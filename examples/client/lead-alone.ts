/** Several copies of this program run; one leads, and only that one writes. `lead-alone.ts IDENTITY` */
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
});

const term = await election.win(stop.signal).catch(() => undefined); // told to stop before it was elected
if (term) {
  await using held = term; // gives the Lease back at the end, so that another need not wait for it to run out
  const leading = client.with({ guard: held.assertCurrent, signal: held.signal });
  try {
    await leading.apply(ConfigMap, { metadata: { namespace: 'default', name: 'leader' }, data: { identity } });
    console.log(`${identity} wrote`);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  } catch (error) {
    if (!isLeadershipLost(error)) throw error;
    console.log(error.message); // nothing was sent
  }
}
