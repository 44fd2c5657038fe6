/** `keelson scorecard`: what it finds in bundles, whoever made them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judgeBundle } from '@keelson/generate/scorecard';
import {
  breakBundle,
  brokenBundles,
  csvFile,
  type LooseBundle,
  otherBundles,
  wholeBundle,
  writeBundle,
} from './broken-bundles.ts';
import { runKeelson } from './test-shell.ts';

const judged = ({ manifests, annotations }: LooseBundle, packedBytes = 1000) =>
  judgeBundle({
    manifests: Object.entries(manifests).map(([file, object]) => ({ file, object })),
    annotations,
    packedBytes,
  }).flatMap(({ findings }) => findings.map(({ level, rule }) => `${level} ${rule}`));

for (const name of ['memcached', 'echo']) {
  test(`the bundle of operators/${name} has no findings`, async () => {
    const cwd = fileURLToPath(new URL(`../../../operators/${name}`, import.meta.url));
    const { code, out, err } = await runKeelson(['scorecard'], { cwd });
    assert.deepEqual([code, err], [0, ''], out);
    assert.doesNotMatch(out, /^(error|warning)/m);
  });
}

test('a bundle that is whole has no findings', () => assert.deepEqual(judged(wholeBundle()), []));

for (const each of brokenBundles) {
  test(`${each.what} is found`, () => {
    assert.deepEqual(
      judged(breakBundle(each)),
      each.findings.map(([level, rule]) => `${level} ${rule}`),
    );
  });
}

for (const { what, breaks, findings } of otherBundles) {
  test(`${what} is found`, () => {
    const bundle = wholeBundle();
    breaks(bundle);
    assert.deepEqual(judged(bundle), findings);
  });
}

test('what the validators take is taken: other examples, no Deployment, addresses with a name, paths for links', () => {
  const bundle = wholeBundle();
  const { metadata, spec } = bundle.manifests[csvFile];
  const { 'alm-examples': examples, ...annotations } = metadata.annotations;
  const service = { apiVersion: 'a.example.com/v1', kind: 'A', spec: {} };
  annotations['olm.examples'] = JSON.stringify([...JSON.parse(examples), service]);
  metadata.annotations = annotations;
  spec.apiservicedefinitions = { owned: [{ group: 'a.example.com', version: 'v1', kind: 'A' }] };
  spec.install.spec.deployments = [];
  spec.maintainers[0].email = 'Ada Lovelace <ada@example.com>';
  spec.links[0].url = '/more';
  spec.relatedImages = ['memcached', 'Example.com/a/b__c:1.0', `localhost/a@sha256:${'0'.repeat(64)}`].map((image) => ({
    image,
  }));
  assert.deepEqual(judged(bundle), []);
});

test('a bundle that OLM cannot carry is an error, one that it hardly can a warning', () => {
  assert.deepEqual(judged(wholeBundle(), 2 ** 20 + 1), ['error size']);
  assert.deepEqual(judged(wholeBundle(), 2 ** 20 * 0.9), ['warning size']);
});

test('a bundle that is something else altogether is judged, too', () => {
  for (const value of [
    null,
    1,
    'text',
    [],
    [null],
    { spec: 1 },
    { spec: { versions: [1], icon: 1, installModes: 'x' } },
  ]) {
    for (const kind of ['ClusterServiceVersion', 'CustomResourceDefinition']) {
      const bundle = wholeBundle();
      const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, kind } : value;
      bundle.manifests[csvFile] = object;
      bundle.annotations = value;
      assert.ok(judged(bundle).length > 0);
    }
  }
});

const folder = await mkdtemp(join(tmpdir(), 'keelson-scorecard-'));
after(() => rm(folder, { recursive: true, force: true }));

test('the command says what to do about each finding, and exits with 1 only for errors', async () => {
  const bundle = wholeBundle();
  delete bundle.manifests[csvFile].spec.icon;
  await writeBundle(folder, bundle);
  const mild = await runKeelson(['scorecard', folder]);
  assert.equal(mild.code, 0);
  assert.match(
    mild.out,
    /^warning {2}operatorhub {15}.*\n {9}there is no icon;\n {11}name a file in config\/bundle\.yaml: .*\.\n/m,
  );

  await writeFile(join(folder, 'manifests', 'c.yaml'), 'a: [');
  const severe = await runKeelson(['scorecard', '--output', 'json', folder]);
  assert.equal(severe.code, 1);
  const [first] = JSON.parse(severe.out);
  assert.deepEqual([first.check, first.findings[0].rule], ['olm-bundle-validation', 'no-object']);

  const none = await runKeelson(['scorecard'], { cwd: folder });
  assert.equal(none.code, 1);
  assert.match(none.err, /there is no bundle in \S+\/bundle; "keelson bundle" writes one, or name its folder\.\n$/);
});
