/** Tells people what was done to an object, where `kubectl describe` shows it. Repetitions become one event with a count. */
import { connect, createClient, createEventRecorder, loadConfig } from '@keelson/client';
import { Event } from '@keelson/core/events/v1';
import { ServiceAccount } from '@keelson/core/v1';

await using transport = connect(await loadConfig());
const client = createClient({ transport });
const recorder = createEventRecorder({
  client,
  controller: 'example.com/greeter',
  onError: (error) => console.error(error.message), // recording itself never throws and never waits
});

const account = await client.get(ServiceAccount, 'default/default');
for (const _ of [1, 2, 3]) {
  recorder.event(account, { type: 'Normal', reason: 'Greeted', action: 'Greet', message: 'said hello' });
}
await recorder[Symbol.asyncDispose](); // sends what waits; `await using` does that, too

const { items } = await client.list(Event, { namespace: 'default', fields: 'reason=Greeted' });
for (const { regarding, note, series } of items) {
  console.log(`${regarding?.kind} ${regarding?.name}: ${note} (${series?.count ?? 1} times)`);
}
