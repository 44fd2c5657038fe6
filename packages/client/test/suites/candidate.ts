/**
 * One replica: competes, and while it leads writes its name all the time, to the server and, without any delay in which a
 * timer could still ring, to a file. Arguments: kubeconfig, identity, lease in ms, that file.
 */
import { appendFileSync } from 'node:fs';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { connect, createClient, createLeaderElection, loadConfig } from '../../src/index.ts';

const [kubeconfig, identity = '', lease, file = ''] = process.argv.slice(2);
const leaseDurationMs = Number(lease);
const transport = connect(await loadConfig({ kubeconfig }));
const client = createClient({ transport });
const election = createLeaderElection({
  client,
  lease: 'default/candidates',
  identity,
  onError: () => {},
  leaseDurationMs,
  renewDeadlineMs: (leaseDurationMs * 3) / 4,
  retryPeriodMs: leaseDurationMs / 8,
});
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort(new Error('told to stop')));

while (!stop.signal.aborted) {
  try {
    const term = await election.win(stop.signal);
    const guarded = client.with({ guard: term.assertCurrent, signal: term.signal });
    for (let count = 0; term.isCurrent() && !stop.signal.aborted; count++) {
      appendFileSync(file, `${identity}\n`);
      await guarded
        .patch(ConfigMap, 'default/written', { data: { by: identity, count: String(count) } })
        .catch(() => {});
      await sleep(systemClock, 10);
    }
    await term[Symbol.asyncDispose]();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}
await transport[Symbol.asyncDispose]();
