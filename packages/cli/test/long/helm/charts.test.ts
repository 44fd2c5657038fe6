/** The charts of both operators as Helm sees them without a cluster: what they render, and how they are published. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { peerProgram, startRegistry } from '@keelson/tools-kubernetes';
import { runKeelson } from '../../test-shell.ts';
import {
  chartOf,
  folder,
  helm,
  missing,
  names,
  objectsIn,
  operators,
  type Printed,
  run,
  tryHelm,
  well,
} from './helm-program.ts';

describe('charts as Helm sees them', { skip: await missing() }, () => {
  for (const [operator, { namespace }] of Object.entries(names)) {
    test(`${operator}: lint finds nothing, and what is rendered is what the manifests install`, async () => {
      await helm('lint', '--strict', chartOf(operator));
      const rendered = objectsIn(await helm('template', 'release', chartOf(operator), '--namespace', namespace));
      const manifests = objectsIn(await readFile(join(operators, operator, 'dist/install.yaml'), 'utf8'));
      const key = ({ kind, metadata }: Printed) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
      // What the chart tells the process by values stands in its arguments and in a ConfigMap of its own.
      const told = new Set(['Deployment', 'ConfigMap']);
      const comparable = (objects: readonly Printed[]) =>
        Object.fromEntries(
          objects
            .filter(({ kind }) => !told.has(kind) && kind !== 'Namespace')
            .map((object) => {
              const {
                labels,
                annotations: _,
                ...metadata
              } = object.metadata as Printed['metadata'] & { annotations?: object };
              const own = Object.entries(labels ?? {}).filter(([name]) => !/^helm|instance$|managed-by$/.test(name));
              return [
                key(object).replace(/-own$/, ''),
                {
                  ...object,
                  metadata: { ...metadata, name: metadata.name.replace(/-own$/, ''), labels: Object.fromEntries(own) },
                },
              ];
            }),
        );
      const withoutOwn = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll('operator-own"', 'operator"'));
      assert.deepEqual(withoutOwn(comparable(rendered)), withoutOwn(comparable(manifests)));
      const pods = (objects: readonly Printed[]) => objects.filter(({ kind }) => kind === 'Deployment').map(key);
      assert.deepEqual(pods(rendered), pods(manifests));
    });

    test(`${operator}: values that cannot be are refused by name`, async () => {
      for (const [wrong, words] of [
        ['imgae.tag=1', /imgae/],
        ['ha.replicaCount=many', /replicaCount/],
        ['image.pullPolicy=Sometimes', /pullPolicy/],
        ['crds.keep=perhaps', /keep/],
      ] as const) {
        const { code, err } = await tryHelm(['template', 'x', chartOf(operator), '--set', wrong]);
        assert.equal(code, 1, wrong);
        assert.match(err, words);
      }
    });

    test(`${operator}: Prometheus reads every expression of the alerts and the dashboard`, async () => {
      const config = join(operators, operator, 'config/prometheus');
      const [rule] = objectsIn(await readFile(join(config, 'prometheus_rule.yaml'), 'utf8'));
      assert.ok(rule);
      const { groups } = rule.spec as { groups: readonly { rules: readonly { expr: string }[] }[] };
      const { panels } = JSON.parse(await readFile(join(config, 'dashboard.json'), 'utf8')) as {
        panels: readonly { targets: readonly { expr: string }[] }[];
      };
      const expressions = [
        ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
        ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'))),
      ];
      const answers = await well(run(await peerProgram('promql'), [], {}, `${expressions.join('\n')}\n`), 'promql');
      const found = answers.trimEnd().split('\n');
      assert.deepEqual(
        found.filter((line) => line.startsWith('error:')),
        [],
      );
      // What the tests of both operators look for by a pattern are the metrics that Prometheus sees.
      const byPattern = expressions.map((each) =>
        [...each.matchAll(/([a-z_]+)\{job=/g)].map(([, name]) => name).join(' '),
      );
      assert.deepEqual(found, byPattern);
    });
  }

  test('a folder that anything serves is a repository, and a registry has the same bytes', async () => {
    const cwd = join(operators, 'echo');
    const to = join(folder, 'charts');
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    const packed = await runKeelson(['chart', 'package', '--to', to], { cwd, env });
    assert.equal(packed.code, 0, packed.err);
    const server = createServer((request, response) => {
      readFile(join(to, basename(request.url ?? ''))).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await helm('repo', 'add', 'ours', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      assert.match(await helm('search', 'repo', 'ours/', '--devel', '--versions'), /ours\/echo-operator\s+0\.0\.0/);
      await mkdir(join(folder, 'by-folder'));
      await helm('pull', 'ours/echo-operator', '--devel', '--destination', join(folder, 'by-folder'));
    } finally {
      server.close();
      server.closeAllConnections();
    }
    await using registry = await startRegistry();
    const args = ['chart', 'push', `oci://${registry.host}/charts`, '--plain-http', registry.host];
    const pushed = await runKeelson(args, { cwd, env });
    assert.equal(pushed.code, 0, pushed.err);
    await mkdir(join(folder, 'by-registry'));
    const place = `oci://${registry.host}/charts/echo-operator`;
    await helm('pull', place, '--version', '0.0.0', '--plain-http', '--destination', join(folder, 'by-registry'));
    const bytes = (where: string) => readFile(join(folder, where, 'echo-operator-0.0.0.tgz'));
    assert.deepEqual(await bytes('by-registry'), await bytes('charts'));
    assert.deepEqual(await bytes('by-folder'), await bytes('charts'));
    await helm('lint', '--strict', join(folder, 'charts/echo-operator-0.0.0.tgz'));
  });
});
