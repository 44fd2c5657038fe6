/** Creates a Deployment by server-side apply, scales it, and deletes it again. */
import { connect, createClient, loadConfig } from '@keelson/client';
import { type InputOf, isNotFound } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';

await using transport = connect(await loadConfig()); // KUBECONFIG, the pod's own service account, ~/.kube/config
const client = createClient({ transport, fieldManager: 'apply-and-scale' });

const labels = { app: 'web' };
const web: InputOf<typeof Deployment> = {
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1.0' }] } },
  },
};

const applied = await client.apply(Deployment, web);
console.log(`${applied.metadata.name} shall have ${applied.spec.replicas} replica`);

const scaled = await client.patch(Deployment, 'default/web', { spec: { replicas: 3 } });
console.log(`${scaled.metadata.name} shall have ${scaled.spec.replicas} replicas`);

await client.delete(Deployment, 'default/web', { propagationPolicy: 'Background' });
try {
  await client.get(Deployment, 'default/web');
} catch (error) {
  if (!isNotFound(error)) throw error;
  console.log(error.message); // says what was asked, and what the server answered
}
