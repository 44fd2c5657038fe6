/** What each example is expected to print, on whatever cluster it is given. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { Lease } from '@keelson/core/coordination/v1';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import { runExample } from './program.ts';

const folder = new URL('../', import.meta.url);
const groups = ['client', 'schema'];

/** Tests every example against the cluster of the kubeconfig, which must be new. */
export function testExamples(kubeconfig: () => string): void {
  const linesOf = async (name: string, ...args: string[]) => {
    await using program = runExample(name, kubeconfig(), ...args);
    const { code, lines, errors } = await program.ended();
    assert.deepEqual({ code, errors }, { code: 0, errors: '' });
    return lines;
  };
  const connected = async () => {
    const transport = connect(await loadConfig({ kubeconfig: kubeconfig() }));
    return { client: createClient({ transport }), [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
  };

  const tested = new Map<string, () => Promise<void>>([
    [
      'client/apply-and-scale',
      async () => {
        assert.deepEqual(await linesOf('client/apply-and-scale'), [
          'web shall have 1 replica',
          'web shall have 3 replicas',
          'get deployments.apps default/web: deployments.apps "web" not found',
        ]);
      },
    ],
    [
      'client/control-loop',
      async () => {
        await using cluster = await connected();
        const { client } = cluster;
        const metadata = { namespace: 'default', name: 'guest', labels: { greet: 'yes' } };
        await client.create(ConfigMap, { metadata, data: { name: 'Ada' } });
        await using program = runExample('client/control-loop', kubeconfig());
        await program.printed('default/guest: Hello, Ada!');
        await client.patch(ConfigMap, 'default/guest', { data: { name: 'Grace' } });
        await program.printed('default/guest: Hello, Grace!');
        assert.equal((await client.get(ConfigMap, 'default/guest')).data?.greeting, 'Hello, Grace!');
        await client.delete(ConfigMap, 'default/guest');
        await program.printed('default/guest is gone');
        const { code, lines, errors } = await program.ended('SIGTERM');
        assert.deepEqual({ code, errors }, { code: 0, errors: '' });
        assert.equal(lines.length, 4);
      },
    ],
    [
      'client/list-in-pages',
      async () => {
        const lines = await linesOf('client/list-in-pages');
        assert.match(lines[0] ?? '', /^a page of 2, [1-9]\d* more$/);
        assert.ok(lines.includes('kube-public: 1'), lines.join('\n'));
      },
    ],
    [
      'client/kinds-at-run-time',
      async () => {
        const [first, ...keys] = await linesOf('client/kinds-at-run-time');
        assert.match(first ?? '', /^Namespace v1, Cluster, .*\bwatch\b/);
        assert.ok(keys.includes('kube-system'));
        await using program = runExample('client/kinds-at-run-time', kubeconfig(), 'example.com', 'gadgets');
        const { code, errors } = await program.ended();
        assert.deepEqual(
          { code, errors },
          { code: 1, errors: 'the server has no gadgets in the group "example.com"\n' },
        );
      },
    ],
    [
      'client/lead-alone',
      async () => {
        await using first = runExample('client/lead-alone', kubeconfig(), 'first');
        await first.printed('first wrote');
        await using second = runExample('client/lead-alone', kubeconfig(), 'second');
        await second.printed('second sees first lead');
        assert.equal((await first.ended('SIGTERM')).code, 0);
        await second.printed('second wrote'); // the first gave its Lease back
        const { code, lines } = await second.ended('SIGTERM');
        assert.equal(code, 0);
        assert.equal(lines[0], 'second sees first lead');
        assert.ok(lines.includes('second sees second lead'));

        await using robbed = runExample('client/lead-alone', kubeconfig(), 'third');
        await robbed.printed('third wrote');
        await using cluster = await connected();
        await cluster.client.patch(Lease, 'default/lead-alone', { spec: { holderIdentity: 'thief' } });
        await robbed.printed('third: leadership ended: thief took the lease');
        assert.equal((await robbed.ended('SIGTERM')).code, 0);
      },
    ],
    [
      'client/record-event',
      async () => {
        assert.deepEqual(await linesOf('client/record-event'), ['ServiceAccount default: said hello (3 times)']);
      },
    ],
    [
      'client/retry-on-conflict',
      async () => {
        assert.deepEqual(await linesOf('client/retry-on-conflict'), ['five counted to 5']);
      },
    ],
    [
      'client/find-by-index',
      async () => {
        await using cluster = await connected();
        const namespaces = await cluster.client.list(Namespace);
        await eachHasCertificates(cluster.client, namespaces.items.length);
        const [first = '', ...found] = await linesOf('client/find-by-index');
        assert.match(first, new RegExp(`^${namespaces.items.length} of \\d+ config maps have a ca.crt$`));
        assert.ok(found.includes('default/kube-root-ca.crt'));
      },
    ],
    [
      'client/act-as-service-account',
      async () => {
        assert.deepEqual(await linesOf('client/act-as-service-account'), [
          'system:serviceaccount:default:default',
          'list configmaps in default: configmaps is forbidden: User "system:serviceaccount:default:default" cannot list ' +
            'resource "configmaps" in API group "" in the namespace "default"',
        ]);
      },
    ],
    [
      'schema/define-a-kind',
      async () => {
        assert.deepEqual(await linesOf('schema/define-a-kind'), [
          'blog.example.com has 2 replicas',
          'Invalid value: 10: spec.replicas in body should be less than or equal to 9',
        ]);
      },
    ],
    [
      'schema/rules-in-cel',
      async () => {
        assert.deepEqual(await linesOf('schema/rules-in-cel'), [
          'spec: Invalid value: more is used than there is',
          'spec: Invalid value: a volume never shrinks',
          "  spec: x-kubernetes-validations[0].rule: compilation failed: ERROR: <input>:1:5: undefined field 'sise'",
        ]);
      },
    ],
  ]);

  for (const [name, run] of tested) test(name, run);

  test('each example is tested, and shorter than 40 lines', () => {
    const names = groups.flatMap((group) =>
      readdirSync(new URL(`${group}/`, folder)).map((file) => `${group}/${file.replace('.ts', '')}`),
    );
    assert.deepEqual(names.sort(), [...tested.keys()].sort());
    for (const name of names) {
      const lines = readFileSync(new URL(`${name}.ts`, folder), 'utf8')
        .trimEnd()
        .split('\n').length;
      assert.ok(lines < 40, `${name} has ${lines} lines`);
    }
  });
}

/** A controller puts the certificates into each namespace, some time after it started. */
async function eachHasCertificates(client: Client, namespaces: number): Promise<void> {
  const seen = new Set<string | undefined>();
  for await (const event of client.watch(ConfigMap, { fields: 'metadata.name=kube-root-ca.crt' })) {
    if (event.type === 'ADDED') seen.add(event.object.metadata.namespace);
    if (seen.size === namespaces) return;
  }
}
