/** Lists objects of a kind that is only known at run time: `kinds-at-run-time.ts GROUP RESOURCE`. */
import { connect, createClient, createDiscovery, loadConfig } from '@keelson/client';
import { type Kind, type KubernetesObject, keyOf } from '@keelson/core';

interface Scaled extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

const [group = '', resource = 'namespaces'] = process.argv.slice(2);

await using transport = connect(await loadConfig());
const client = createClient({ transport });
const discovery = createDiscovery(client); // asks again for what it does not know, so new CRDs are found

const kind = await discovery.find({ group, resource });
if (!kind) {
  console.error(`the server has no ${resource} in the group "${group}"`);
  process.exitCode = 1;
} else {
  console.log(`${kind.kind} ${kind.version}, ${kind.scope}, ${kind.verbs.join(' ')}`);
  const { items } = await client.list<Kind<Scaled>>(kind); // a type for what is read of it; informers take one, too
  for (const object of items) console.log(keyOf(object), object.spec?.replicas ?? '');
}
