/** The types, held against objects of every kind on a real server: they can be written so, and are read so. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { buildModel } from '../../src/build.ts';
import { parse, readSnapshot } from '../../src/documents.ts';
import { facts } from '../../src/facts.ts';
import { documentsFolder } from '../../src/folders.ts';
import type { KindDeclaration } from '../../src/model.ts';
import { objects, requests } from './objects.ts';
import { violations } from './violations.ts';

interface Answer {
  readonly kind: string;
  readonly items?: readonly unknown[];
}

const machine = await availability();
const model = buildModel(parse(readSnapshot(documentsFolder)), facts);
const kinds = model.modules.flatMap(({ declarations }) =>
  declarations.filter((declaration): declaration is KindDeclaration => declaration.type === 'kind'),
);

const stored = kinds.filter(({ isStored }) => isStored);

test('the types hold for what a real server answers', {
  skip: machine.available ? false : machine.reason,
}, async (t) => {
  await using kube = await startKubernetes();
  await kube.apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await allKindsAreThere(kube);

  for (const kind of stored) {
    const { items = [] } = await get(kube, pathOf(kind));
    await t.test(`${items.length} of ${kind.group}/${kind.version} ${kind.name}`, () => {
      assert.deepEqual(
        items.flatMap((item) => violations(model, kind, item)),
        [],
      );
    });
  }
  for (const { kind, path, body, answer = kind } of requests) {
    await t.test(`the answer to a ${kind}`, async () => {
      const answered = await create(kube, path, body);
      assert.equal(answered.kind, answer);
      if (answer === kind) assert.deepEqual(violations(model, kindNamed(kind), answered), []);
    });
  }
  await t.test('a Scale', async () => {
    const scale = await get(kube, '/apis/apps/v1/namespaces/default/deployments/web/scale');
    assert.deepEqual(violations(model, kindNamed('Scale'), scale), []);
  });
  await t.test('a ComponentStatus', async () => {
    const status = await get(kube, '/api/v1/componentstatuses/etcd-0');
    assert.deepEqual(violations(model, kindNamed('ComponentStatus'), status), []);
  });
});

/** Controllers make what was not applied: pods and their conditions, revisions, endpoint slices, events. */
async function allKindsAreThere(kube: Kubernetes): Promise<void> {
  using limit = deadline(systemClock, 300_000, 'objects of every kind');
  for (const kind of stored) {
    while (!(await get(kube, pathOf(kind))).items?.length) await sleep(systemClock, 200, limit.signal);
  }
  const { code, stderr } = await kube.kubectl(
    'wait',
    '--for=condition=PodScheduled=false',
    'pod',
    '--all',
    '--timeout=5m',
  );
  assert.equal(code, 0, stderr);
}

function kindNamed(name: string): KindDeclaration {
  const kind = kinds.find((one) => one.name === name);
  assert.ok(kind, name);
  return kind;
}

function pathOf({ group, version, resource }: KindDeclaration): string {
  return `${group === '' ? '/api' : `/apis/${group}`}/${version}/${resource?.name}`;
}

async function get(kube: Kubernetes, path: string): Promise<Answer> {
  const { code, stdout, stderr } = await kube.kubectl('get', '--raw', path);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Answer;
}

async function create(kube: Kubernetes, path: string, body: object): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-types-'));
  try {
    const file = join(folder, 'body.json');
    writeFileSync(file, JSON.stringify(body));
    const { code, stdout, stderr } = await kube.kubectl('create', '--raw', path, '-f', file);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Answer;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
