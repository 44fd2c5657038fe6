/** What the compiler says to an author: the first line names the mistake, and a type on hover is short. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const preamble = `
import type { Client } from '@keelson/client';
import { metadataOf, byLabel, removable, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod, Secret, Service } from '@keelson/core/v1';
import { controller, done } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';
declare const client: Client;
const metadata = { name: 'a', namespace: 'x' };
const Site = defineKind({
  group: 'example.com', kind: 'Site', hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ host: z.string() }) } },
});
`;

const inReconcile = (line: string): string => `
controller({
  for: ConfigMap,
  owns: [Deployment, removable(Service)],
  watches: [watch(metadataOf(Pod), { to: byLabel('app') })],
  async reconcile(object, context) {
    const { cache, owned, status } = context;
    ${line};
    return done;
  },
});
`;

/** The mistake, and the first line of what the compiler says about it, or the part of it that counts. */
const cases: Readonly<Record<string, readonly [string, string]>> = {
  'an undeclared kind in the cache': [
    inReconcile(`cache.get(Secret, 'x/y')`),
    "Argument of type 'SecretKind' is not assignable to parameter of type 'ConfigMapKind | DeploymentKind | MetadataKind<PodKind> | ServiceKind'.",
  ],
  'content of a kind that is watched by its metadata': [
    inReconcile(`cache.get(metadataOf(Pod), 'x/y')?.spec`),
    "Property 'spec' does not exist on type 'MetadataObject<PodKind>'.",
  ],
  'a kind that is watched by its metadata, read as a whole': [
    inReconcile(`cache.get(Pod, 'x/y')`),
    "Argument of type 'PodKind' is not assignable to parameter of type 'ConfigMapKind | DeploymentKind | MetadataKind<PodKind> | ServiceKind'.",
  ],
  'a kind that is not owned': [
    inReconcile(`await owned.apply(Pod, { metadata, spec: { containers: [] } })`),
    "Argument of type 'PodKind' is not assignable to parameter of type 'DeploymentKind | ServiceKind'.",
  ],
  'a kind that is not removable': [
    inReconcile(`await owned.absent(Deployment, 'a')`),
    "Argument of type 'DeploymentKind' is not assignable to parameter of type 'ServiceKind'.",
  ],
  'a typo in what is created': [
    `await client.create(Site, { metadata, spec: { hots: 'a' } });`,
    "Object literal may only specify known properties, and 'hots' does not exist in type '{ readonly host: string; }'.",
  ],
  'a typo in what is applied, with options': [
    `await client.apply(Site, { metadata, spec: { hots: 'a' } }, { force: true });`,
    "Object literal may only specify known properties, and 'hots' does not exist in type '{ readonly host: string; }'.",
  ],
  'a missing field': [
    `await client.create(Site, { metadata, spec: {} });`,
    "Property 'host' is missing in type '{}' but required in type '{ readonly host: string; }'.",
  ],
  'a missing field of a built-in kind': [
    `await client.create(Deployment, { metadata, spec: { replicas: 1 } });`,
    "Type '{ replicas: number; }' is missing the following properties from type 'DeploymentSpec': selector, template",
  ],
  'what hovering the context shows': [
    inReconcile('const shown: never = context'),
    "Type 'ReconcileContext<ConfigMapKind, DeploymentKind | ServiceKind, ServiceKind, ConfigMapKind | DeploymentKind | MetadataKind<...> | ServiceKind, undefined>' is not assignable to type 'never'.",
  ],
  'what hovering owned shows': [
    inReconcile('const shown: never = owned'),
    "Type 'Owned<DeploymentKind | ServiceKind, ServiceKind>' is not assignable to type 'never'.",
  ],
};

const files = new Map(Object.keys(cases).map((name, i) => [name, `case-${i}.ts`]));
let folder: string;
const said = new Map<string, string[]>();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-compiler-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { noEmit: true, rootDir: '/', types: [], noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, files: [...files.values()] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const [name, [code]] of Object.entries(cases)) {
    await writeFile(join(folder, files.get(name) ?? ''), `${preamble}${code}\nexport {};\n`);
  }
  const compiler = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8', cwd: folder });
  for (const line of `${stdout}${stderr}`.split('\n')) {
    const [, file = '', message = ''] = /(case-\d+\.ts)\(\d+,\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
    if (message) said.set(file, [...(said.get(file) ?? []), message]);
  }
});

after(() => rm(folder, { recursive: true }));

for (const [name, [, message]] of Object.entries(cases)) {
  test(`the compiler names the mistake: ${name}`, () => {
    assert.deepEqual(said.get(files.get(name) ?? ''), [message]);
  });
}
