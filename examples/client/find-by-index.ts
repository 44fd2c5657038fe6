/** Finds objects by something other than their name, without asking the server and without looking at all of them. */
import { connect, createClient, createSharedInformers, loadConfig } from '@keelson/client';
import { ConfigMap } from '@keelson/core/v1';

await using transport = connect(await loadConfig());
const client = createClient({ transport });
await using informers = createSharedInformers({ client, onError: (error) => console.error(error.message) });
const configMaps = informers.informer(ConfigMap, {
  indexes: { byKey: (configMap) => Object.keys(configMap.data ?? {}) }, // under as many values as you like
});
await configMaps.synced;

const certificates = configMaps.store.byIndex('byKey', 'ca.crt');
console.log(`${certificates.length} of ${configMaps.store.size} config maps have a ca.crt`);
for (const { metadata } of certificates) console.log(`${metadata.namespace}/${metadata.name}`);
