/** An operator as a process whose author forgot things: an await, an end, a pause; and one that throws. */
import { keyOf, operator, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { controller, done, run } from '../src/index.ts';
import { Widget } from './widget.ts';

async function fail(): Promise<void> {
  throw new Error('nobody hears this');
}

const forgetful = controller({
  for: Widget,
  async reconcile(widget, { status, client, events, logger, signal }) {
    if (widget.spec.text === 'reject') void fail();
    if (widget.spec.text === 'throw') throw new Error('this is thrown');
    if (widget.spec.text === 'hang') {
      await status.apply({ seen: 'hanging', conditions: [] });
      await sleep(systemClock, 3_600_000); // keeps the process alive, and does not heed the signal
    }
    await status.apply({ seen: widget.spec.text, conditions: [] });
    if (widget.spec.text === 'call') {
      events.normal('Calling', 'to be sent when the operator stops');
      logger.info('calling on and on');
      while (!signal.aborted) await client.find(Widget, keyOf(widget), { timeoutMs: 3_600_000 });
    }
    return done;
  },
});

await run(operator({ name: 'forgetful', version: '1.2.3', controllers: [forgetful] }));
