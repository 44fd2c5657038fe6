/**
 * Writes data/default-roles.json.gz: the roles and bindings that a real API server makes for itself, with the rules that
 * the aggregation controller has gathered.
 *
 *     kubectl proxy & node packages/apiserver/scripts/default-roles.ts http://127.0.0.1:8001
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { gzipSync } from 'node:zlib';

const server = argv[2];
if (server === undefined) throw new TypeError('needs the address of a proxy to a real API server');

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
}

const collections: Record<string, unknown> = {};
for (const resource of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
  const selector = encodeURIComponent('kubernetes.io/bootstrapping=rbac-defaults');
  const answer = await fetch(`${server}/apis/rbac.authorization.k8s.io/v1/${resource}?labelSelector=${selector}`);
  if (!answer.ok) throw new Error(`${resource}: ${answer.status}`);
  const { items } = (await answer.json()) as { readonly items: readonly Item[] };
  collections[resource] = items.map(({ metadata: { name, namespace, labels }, ...rest }) => ({
    // All have the same annotation, so that it is not written here.
    metadata: { name, namespace, labels },
    ...rest,
  }));
}
const bytes = gzipSync(JSON.stringify(collections), { level: 9 });
bytes[9] = 0xff; // the operating system, which gzip writes into its header, must not show
writeFileSync(join(import.meta.dirname, '../data/default-roles.json.gz'), bytes);
