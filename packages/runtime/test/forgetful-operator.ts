/** An operator as a process whose author forgot things: one promise is not awaited, another never settles. */
import { operator, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { controller, done, run } from '../src/index.ts';
import { Widget } from './widget.ts';

async function fail(): Promise<void> {
  throw new Error('nobody hears this');
}

const forgetful = controller({
  for: Widget,
  async reconcile(widget, { status }) {
    if (widget.spec.text === 'reject') void fail();
    if (widget.spec.text === 'hang') {
      await status.apply({ seen: 'hanging', conditions: [] });
      await sleep(systemClock, 3_600_000); // keeps the process alive, and does not heed the signal
    }
    await status.apply({ seen: widget.spec.text, conditions: [] });
    return done;
  },
});

await run(operator({ name: 'forgetful', controllers: [forgetful] }));
