/** Counts in an object that others change, too: read, change, replace, and once more when someone else was faster. */
import { connect, createClient, loadConfig } from '@keelson/client';
import { isAlreadyExists, isConflict } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';

await using transport = connect(await loadConfig());
const client = createClient({ transport });
const key = 'default/counter';

async function count(): Promise<number> {
  const counter = await client.get(ConfigMap, key);
  const next = Number(counter.data?.count ?? 0) + 1;
  try {
    await client.update(ConfigMap, { ...counter, data: { ...counter.data, count: String(next) } });
    return next;
  } catch (error) {
    if (isConflict(error)) return count(); // with what the other one wrote
    throw error;
  }
}

try {
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'counter' } });
} catch (error) {
  if (!isAlreadyExists(error)) throw error;
}
await Promise.all([count(), count(), count(), count(), count()]);
const { data } = await client.get(ConfigMap, key);
console.log(`five counted to ${data?.count}`);
