/** Counts the objects of a kind by namespace: page by page, and only their metadata, however many there are. */
import { connect, createClient, loadConfig } from '@keelson/client';
import { metadataOf } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';

await using transport = connect(await loadConfig());
const client = createClient({ transport });

const counts = new Map<string, number>();
for await (const page of client.pages(metadataOf(ConfigMap), { pageSize: 2, timeoutMs: 10_000 })) {
  for (const { metadata } of page.items) {
    const namespace = metadata.namespace ?? '';
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  console.log(`a page of ${page.items.length}, ${page.remainingItemCount ?? 0} more`);
}
for (const [namespace, count] of counts) console.log(`${namespace}: ${count}`);
