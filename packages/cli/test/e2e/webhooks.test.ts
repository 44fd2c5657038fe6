/** Webhooks on a real Kubernetes, answered by an operator outside of it: `keelson run --webhook-url`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, createClient, loadConfig } from '@keelson/client';
import { deadline, sleep } from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { Namespace, Service } from '@keelson/core/v1';
import { availability, freePort, startKubernetes } from '@keelson/tools-kubernetes';
import { createProjects, websiteManifest } from '../projects.ts';
import { runKeelson } from '../test-shell.ts';

const available = await availability();
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const source = `
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod } from '@keelson/core/v1';
import { webhook } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

const Website = defineKind({
  group: 'hooks.example.com',
  kind: 'Website',
  hub: 'v1',
  versions: {
    v1alpha1: { spec: z.object({ size: z.int32().default(1), domain: z.string().optional() }) },
    v1: { storage: true, spec: z.object({ size: z.int32().default(1), host: z.string().optional() }) },
  },
  conversions: {
    v1alpha1: {
      toHub: ({ spec }) => ({ spec: { host: spec.domain } }),
      fromHub: ({ spec }) => ({ spec: { domain: spec.host } }),
    },
  },
});
export const website = operator({
  name: 'website',
  webhooks: [
    webhook(Website, {
      reads: [ConfigMap],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      default: ({ object, user }) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, by: user.username ?? '' } },
        spec: { ...object.spec, host: object.spec.host ?? \`\${object.metadata.name}.test\` },
      }),
      validate(request) {
        if (request.operation === 'DELETE') return [{ message: 'websites stay' }];
        const { size } = request.object.spec;
        const most = Number(request.cache.get(ConfigMap, 'default/limits')?.data?.size ?? 3);
        if (size > most) return [{ field: ({ spec }) => spec.size, message: \`at most \${most}\` }];
        return size === most ? [{ warning: 'this is as large as it gets' }] : [];
      },
    }),
    webhook(Deployment, {
      subresource: 'scale',
      default: () => ({ warnings: ['scales are watched'] }),
      validate: ({ object }) =>
        (object.spec?.replicas ?? 0) > 3 ? [{ field: ({ spec }) => spec?.replicas, message: 'at most 3' }] : [],
    }),
    webhook(Pod, {
      subresource: 'exec',
      validate: ({ name, object }) => [{ message: \`nothing runs in \${name}, least of all \${object.command?.join(' ')}\` }],
    }),
  ],
});
`;

test('kubectl sees defaults, refusals with their fields and warnings; a crash leaves nothing that hinders or stays', {
  skip: !available.available && available.reason,
}, async () => {
  await using kube = await startKubernetes({ controllers: false });
  await using projects = await createProjects();
  const { root: cwd } = projects;
  await projects.write('package.json', websiteManifest);
  await projects.write('src/operator.ts', source);
  const { kubeconfig } = kube;
  assert.equal((await runKeelson(['install', '--kubeconfig', kubeconfig], { cwd })).code, 0);
  await using transport = connect(await loadConfig({ kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test' });
  const website = (name: string, size: number) =>
    projects.write(
      `${name}.json`,
      `{"apiVersion": "hooks.example.com/v1", "kind": "Website", "metadata": {"name": "${name}"}, "spec": {"size": ${size}}}`,
    );
  const configurations = async () => {
    const { items: mutating } = await client.list(MutatingWebhookConfiguration);
    const { items: validating } = await client.list(ValidatingWebhookConfiguration);
    return [...mutating, ...validating].map(({ webhooks }) => webhooks?.[0]?.failurePolicy);
  };

  const url = `https://127.0.0.1:${await freePort('127.0.0.1')}`;
  const start = async () => {
    const flags = ['--kubeconfig', kubeconfig, '--webhook-url', url, '--', '--health-port', '0', '--metrics-port', '0'];
    const child = spawn(process.execPath, [main, 'run', ...flags], { cwd });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (printed += text));
    using limit = deadline(systemClock, 300_000, 'the webhook server');
    while (!printed.includes('"name":"webhook"')) {
      assert.equal(child.exitCode, null, printed);
      await sleep(systemClock, 20, limit.signal);
    }
    return { child, printed: () => printed };
  };

  const first = await start();
  try {
    const created = async (size: number) => {
      const dry = ['--dry-run=server', '-o', 'jsonpath={.spec.host}'];
      return await kube.kubectl('create', ...dry, '-f', await website('probe', size));
    };
    using limit = deadline(systemClock, 300_000, 'the API server asks');
    while ((await created(2)).stdout !== 'probe.test' || (await created(9)).code === 0)
      await sleep(systemClock, 50, limit.signal);

    const made = await kube.kubectl('create', '-f', await website('a', 2));
    assert.equal(made.stderr, '');
    const seen = await kube.kubectl('get', 'website', 'a', '-o', 'jsonpath={.spec.host} {.metadata.annotations.by}');
    assert.equal(seen.stdout, 'a.test kubernetes-admin');
    const older = ['websites.v1alpha1.hooks.example.com', 'a', '-o', 'jsonpath={.spec.domain}'];
    while ((await kube.kubectl('get', ...older)).stdout !== 'a.test') await sleep(systemClock, 50, limit.signal);

    const refused = await kube.kubectl('create', '-f', await website('b', 9));
    assert.equal(refused.stderr, 'The Website "b" is invalid: spec.size: Invalid value: 9: at most 3\n');
    const warned = await kube.kubectl('apply', '--server-side', '--force-conflicts', '-f', await website('a', 3));
    assert.equal(warned.stderr, 'Warning: this is as large as it gets\n');
    await kube.kubectl('create', 'deployment', 'd', '--image=x');
    const scaled = await kube.kubectl('scale', 'deployment', 'd', '--replicas=2');
    assert.equal(scaled.stderr, 'Warning: scales are watched\n');
    const large = await kube.kubectl('scale', 'deployment', 'd', '--replicas=4');
    assert.match(large.stderr, /The Scale "d" is invalid: spec\.replicas: Invalid value: 4: at most 3\n$/);
    const path = '/api/v1/namespaces/default/pods/p/exec?command=ls&command=-l&stdout=true';
    const denied = await kube.kubectl('create', '--raw', path, '-f', await website('a', 3));
    assert.match(
      denied.stderr,
      /"validate\.pod-exec\.website" denied the request: nothing runs in p, least of all ls -l/,
    );
    const kept = await kube.kubectl('delete', 'website', 'a');
    assert.match(kept.stderr, /admission webhook "validate\.website\.website" denied the request: websites stay\n$/);
  } finally {
    first.child.kill('SIGKILL');
  }
  await once(first.child, 'close');

  assert.deepEqual(new Set(await configurations()), new Set(['Ignore']));
  const unconverted = await kube.kubectl('get', 'websites.v1alpha1.hooks.example.com', 'a');
  assert.match(unconverted.stderr, /conversion webhook for hooks\.example\.com\/v1, Kind=Website failed/);
  const unanswered = await kube.kubectl('create', '-f', await website('b', 9));
  assert.equal(unanswered.stderr, '', 'nobody answers, so it goes through');

  const second = await start();
  second.child.kill('SIGTERM');
  await once(second.child, 'close');
  assert.equal(second.child.exitCode, 0, second.printed());
  assert.doesNotMatch(second.printed(), /"level":"(warn|error)"/);
  assert.deepEqual(await configurations(), []);
  const { spec } = await client.get(CustomResourceDefinition, 'websites.hooks.example.com');
  assert.deepEqual(spec.conversion?.webhook?.clientConfig, {
    service: { namespace: 'website-system', name: 'website-webhook', path: '/convert', port: 443 },
  });

  await client.create(Namespace, { metadata: { name: 'website-system' } });
  await client.create(Service, {
    metadata: { name: 'website-webhook', namespace: 'website-system' },
    spec: { ports: [{ port: 443 }] },
  });
  const refused = await runKeelson(['run', '--kubeconfig', kubeconfig, '--webhook-url', url], { cwd });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /converted by the Service website-system\/website-webhook; others use it, so it stays so/);
  assert.deepEqual((await client.get(CustomResourceDefinition, 'websites.hooks.example.com')).spec, spec);
});
