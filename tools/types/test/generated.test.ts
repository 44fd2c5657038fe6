import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubernetesVersion } from '@keelson/tools-kubernetes';
import { buildModel } from '../src/build.ts';
import { damagedIn, parse, readSnapshot, writeSnapshot } from '../src/documents.ts';
import { facts } from '../src/facts.ts';
import { documentsFolder } from '../src/folders.ts';
import { generatedFrom } from '../src/generated.ts';
import type { KindDeclaration } from '../src/model.ts';
import { differences, write } from '../src/output.ts';
import { printModel } from '../src/print.ts';

const snapshot = readSnapshot(documentsFolder);
const model = buildModel(parse(snapshot), facts);
const files = printModel(model, snapshot.version);

test('the generated folders hold what `npm run generate:types` writes', () => {
  const folders = [...generatedFrom(snapshot)];
  assert.equal(folders.length, 2);
  for (const [folder, expected] of folders) assert.deepEqual(differences(folder, expected), [], folder);
});

test('a file that was edited, removed or added is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-types-'));
  try {
    write(folder, files, [...files.keys()]);
    assert.deepEqual(differences(folder, files), []);
    writeFileSync(join(folder, 'apps/v1.ts'), '// edited');
    rmSync(join(folder, 'v1.ts'));
    writeFileSync(join(folder, 'batch/v0.ts'), '// added');
    const differing = differences(folder, files);
    assert.deepEqual(differing, ['apps/v1.ts', 'batch/v0.ts', 'v1.ts']);
    write(folder, files, differing);
    assert.deepEqual(differences(folder, files), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the documents are of the pinned version, and as the server hashed them', () => {
  assert.equal(snapshot.version, kubernetesVersion);
  assert.deepEqual(damagedIn(snapshot), []);
  const documents = new Map(snapshot.documents).set('apis/apps/v1', Buffer.from('{}'));
  assert.deepEqual(damagedIn({ ...snapshot, documents }), ['apis/apps/v1']);
});

test('documents that are written twice are the same bytes, without the time of writing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-openapi-'));
  try {
    const index = Buffer.from('{"paths":{".well-known/a":{"serverRelativeURL":"/openapi/v3/.well-known/a?hash=1"}}}');
    const small = { version: 'v1.2.3', index, documents: new Map([['.well-known/a', Buffer.from('{}')]]) };
    writeSnapshot(folder, small);
    const first = readFileSync(join(folder, 'index.json.gz'));
    assert.equal(first.readUInt32LE(4), 0);
    writeSnapshot(folder, small);
    assert.deepEqual(readFileSync(join(folder, 'index.json.gz')), first);
    assert.deepEqual(readSnapshot(folder), small);
    writeSnapshot(folder, { ...small, index: Buffer.from('{"paths":{}}'), documents: new Map() });
    assert.deepEqual(readdirSync(join(folder, '.well-known')), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no generated module imports anything when it runs', () => {
  for (const [path, text] of files) assert.doesNotMatch(text, /^import (?!type )|^export .* from /m, path);
});

test('the descriptors are what the paths say', async () => {
  const kinds = model.modules.flatMap(({ path, declarations }) =>
    declarations.flatMap((declaration) => (declaration.type === 'kind' ? { path, ...declaration } : [])),
  );
  const named = (isStored: boolean) => kinds.filter((kind) => kind.isStored === isStored);
  assert.equal(named(true).length, 60);
  assert.deepEqual(named(false).map(summary), [
    'authentication/v1/SelfSubjectReview Cluster selfsubjectreviews',
    'authentication/v1/TokenRequest',
    'authentication/v1/TokenReview Cluster tokenreviews',
    'authorization/v1/LocalSubjectAccessReview Namespaced localsubjectaccessreviews',
    'authorization/v1/SelfSubjectAccessReview Cluster selfsubjectaccessreviews',
    'authorization/v1/SelfSubjectRulesReview Cluster selfsubjectrulesreviews',
    'authorization/v1/SubjectAccessReview Cluster subjectaccessreviews',
    'autoscaling/v1/Scale',
    'policy/v1/Eviction',
    'v1/Binding Namespaced bindings',
    'v1/ComponentStatus Cluster componentstatuses',
  ]);
  const { Pod, Namespace } = await import('@keelson/core/v1');
  assert.deepEqual(Pod, {
    group: '',
    version: 'v1',
    kind: 'Pod',
    resource: 'pods',
    scope: 'Namespaced',
    subresources: [
      'attach',
      'binding',
      'ephemeralcontainers',
      'eviction',
      'exec',
      'log',
      'portforward',
      'proxy',
      'resize',
      'status',
    ],
  });
  assert.deepEqual([Namespace.scope, Namespace.subresources], ['Cluster', ['finalize', 'status']]);
});

function summary({ path, name, resource }: KindDeclaration & { readonly path: string }): string {
  return [`${path}/${name}`, ...(resource ? [resource.scope, resource.name] : [])].join(' ');
}
