/**
 * One replica as a process: while it leads it copies each Widget's text into its status and writes its own name ten times
 * a second. What it sends is logged to a file at the last moment before it is sent, in the same turn as the guard.
 * Arguments: kubeconfig, name, that file, and the times of the election as JSON.
 */
import { appendFileSync } from 'node:fs';
import { connect, loadConfig } from '@keelson/client';
import { allow, operator, sleep, type Transport } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { controller, createManager, done, task } from '../src/index.ts';
import { Widget } from './widget.ts';

const [kubeconfig, name = '', file = '', times = '{}'] = process.argv.slice(2);
const inner = connect(await loadConfig({ kubeconfig }), { userAgent: `replica-${name}` });

const logged: Transport = {
  request(request) {
    if (request.method === 'GET' || /\/(leases|events)(\/|\?|$)/.test(request.path)) return inner.request(request);
    const beforeSend = () => {
      request.beforeSend?.();
      appendFileSync(file, `${name} ${systemClock.now()}\n`);
    };
    return inner.request({ ...request, beforeSend });
  },
  [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
};

const copier = controller({
  for: Widget,
  async reconcile(widget, { status }) {
    await status.apply({ seen: widget.spec.text, conditions: [] });
    return done;
  },
});

/** As a task, since a controller that writes on and on would be slowed. */
const writer = task({
  name: 'writer',
  needs: [allow(ConfigMap, 'create', 'patch')],
  async run({ client, clock, signal }) {
    for (let count = 0; !signal.aborted; count++) {
      const metadata = { namespace: 'default', name: 'a' };
      await client.apply(ConfigMap, { metadata, data: { by: name, count: String(count) } }, { force: true });
      await sleep(clock, 100, signal);
    }
  },
});

const replicated = operator({ name: 'replicated', controllers: [copier], tasks: [writer], leaderElection: true });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')));
await createManager(replicated, {
  transport: logged,
  health: false,
  metrics: false,
  leaderElection: { identity: name, ...JSON.parse(times) },
}).start(stop.signal);
await inner[Symbol.asyncDispose]();
