/**
 * One replica as a process: while it leads it copies each Widget's text into its status and writes its own name ten times
 * a second. What it sends is logged to a file at the last moment before it is sent, in the same turn as the guard.
 * Arguments: kubeconfig, name, that file, and the times of the election as JSON.
 */
import { appendFileSync } from 'node:fs';
import { connect, loadConfig } from '@keelson/client';
import { operator, type Transport } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { controller, createManager, requeueAfter } from '../src/index.ts';
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

let count = 0;
const writer = controller({
  for: Widget,
  owns: [ConfigMap],
  async reconcile(widget, { owned, status }) {
    count += 1;
    await owned.apply(ConfigMap, {
      metadata: { name: widget.metadata.name },
      data: { by: name, count: String(count) },
    });
    await status.apply({ seen: widget.spec.text, conditions: [] });
    return requeueAfter(100);
  },
});

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')));
await createManager(operator({ name: 'replicated', controllers: [writer], leaderElection: true }), {
  transport: logged,
  health: false,
  metrics: false,
  leaderElection: { identity: name, ...JSON.parse(times) },
}).start(stop.signal);
await inner[Symbol.asyncDispose]();
