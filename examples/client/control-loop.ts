/** A controller in its simplest form: greets every ConfigMap that asks for it, until it is told to stop. */
import { connect, createClient, createSharedInformers, createWorkQueue, loadConfig } from '@keelson/client';
import { keyOf } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';

await using transport = connect(await loadConfig());
const client = createClient({ transport, fieldManager: 'greeter' });
await using informers = createSharedInformers({ client, onError: (error) => console.error(error.message) });
const configMaps = informers.informer(ConfigMap, { namespace: 'default', labels: { greet: 'yes' } });

const queue = createWorkQueue();
configMaps.subscribe(({ object }) => queue.add(keyOf(object))); // events become keys; why is forgotten
await configMaps.synced;
process.once('SIGTERM', () => void queue.drain());
console.log('ready');

async function reconcile(key: string): Promise<void> {
  const configMap = configMaps.store.get(key); // read-only, shared, no copy
  if (!configMap) return console.log(`${key} is gone`);
  const greeting = `Hello, ${configMap.data?.name ?? 'nobody'}!`;
  if (configMap.data?.greeting === greeting) return; // what changes nothing is not written
  const { name, namespace } = configMap.metadata;
  await client.apply(ConfigMap, { metadata: { name, namespace }, data: { greeting } });
  console.log(`${key}: ${greeting}`);
}

for (let item = await queue.get(); item; item = await queue.get()) {
  try {
    await reconcile(item.key);
    queue.forget(item.key);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    queue.addRateLimited(item.key); // 5 ms, 10 ms, … up to 1000 s
  }
  queue.done(item.key);
}
