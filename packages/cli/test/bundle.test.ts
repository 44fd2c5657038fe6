/** `keelson bundle`: what it writes, what it asks for, and how it tells of drift. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createProjects, type Projects, websiteManifest, websiteSource } from './projects.ts';
import { runKeelson } from './test-shell.ts';

for (const name of ['memcached', 'echo']) {
  test(`the bundle of operators/${name} is as generated`, async () => {
    const cwd = fileURLToPath(new URL(`../../../operators/${name}`, import.meta.url));
    const { code, out, err } = await runKeelson(['bundle', '--check'], { cwd });
    assert.deepEqual([code, err], [0, ''], out);
  });
}

const words = `displayName: Website
description: Runs websites.
provider: { name: Example }
maintainers: [{ name: Ada, email: ada@example.com }]
`;

describe('keelson bundle', () => {
  let projects: Projects;
  let cwd: string;
  const bundle = (...args: readonly string[]) => runKeelson(['bundle', ...args], { cwd });
  const csv = async () =>
    parse(await readFile(join(cwd, 'bundle/manifests/website.clusterserviceversion.yaml'), 'utf8'));
  const said = (more = '') => projects.write('project/config/bundle.yaml', words + more);
  before(async () => {
    projects = await createProjects();
    cwd = join(projects.root, 'project');
    await projects.write('project/package.json', websiteManifest);
    await projects.write('project/src/operator.ts', websiteSource({ group: 'bundle.example.com' }));
    await projects.write(
      'project/config/samples/website.yaml',
      'apiVersion: bundle.example.com/v1\nkind: Website\nmetadata: { name: mine }\nspec: { size: 3 }\n',
    );
  });
  after(() => projects[Symbol.asyncDispose]());

  test('it asks for the words that it cannot know, all at once, and writes nothing without them', async () => {
    const missing = await bundle('--version', '1.0.0');
    assert.equal(missing.code, 1);
    assert.match(
      missing.err,
      /there is no \S+config\/bundle\.yaml, .*; write it as "keelson bundle --help" shows\.\n$/,
    );
    await projects.write('project/config/bundle.yaml', 'displayName: Website\nprovider: {}\n');
    const { code, err } = await bundle('--version', '1.0.0');
    assert.equal(code, 1);
    assert.match(
      err,
      /bundle\.yaml is not complete: provider\.name: Required value, description: Required value, maintainers: Req/,
    );
    await projects.write('project/config/bundle.yaml', 'displayName: [');
    assert.match((await bundle('--version', '1.0.0')).err, /bundle\.yaml is no YAML: /);
    await assert.rejects(csv(), { code: 'ENOENT' });
  });

  test('the picture that the words name is in the bundle, or is told to be missing', async () => {
    await said('icon: icon.png\n');
    assert.match((await bundle('--version', '1.0.0')).err, /names the icon icon\.png, which cannot be read; /);
    await projects.write('project/icon.png', 'PNG');
    assert.equal((await bundle('--version', '1.0.0')).code, 0);
    assert.deepEqual((await csv()).spec.icon, [{ base64data: 'UE5H', mediatype: 'image/png' }]);
    await said('icon: icon.bmp\n');
    assert.match((await bundle('--version', '1.0.0')).err, /icon\.bmp; take one that ends with \.gif, \.jpg/);
  });

  test('flags say which version it is and where it is offered; samples are its examples', async () => {
    await said('version: 0.5.0\nchannels: [fast]\n');
    assert.equal((await bundle()).code, 0);
    assert.equal((await csv()).metadata.name, 'website.v0.5.0');
    const flags = ['--version', '1.1.0', '--replaces', '1.0.0', '--channels', 'stable, fast', '--image', 'a/b:2'];
    const { code, out } = await bundle(...flags, '--default-channel', 'fast');
    assert.deepEqual([code, /^updated {2}bundle\/metadata\/annotations\.yaml$/m.test(out)], [0, true]);
    const { metadata, spec } = await csv();
    assert.deepEqual([metadata.name, spec.replaces], ['website.v1.1.0', 'website.v1.0.0']);
    assert.equal(spec.install.spec.deployments[0].spec.template.spec.containers[0].image, 'a/b:2');
    assert.deepEqual(JSON.parse(metadata.annotations['alm-examples'])[0].spec, { size: 3 });
    const { annotations } = parse(await readFile(join(cwd, 'bundle/metadata/annotations.yaml'), 'utf8'));
    assert.deepEqual(Object.values(annotations).slice(-2), ['stable,fast', 'fast']);
  });

  test('--check shows what differs, and what is left over goes with the next call', async () => {
    await said('version: 1.0.0\n');
    await bundle();
    assert.match((await bundle()).out, /^All \d+ files in \S+\/bundle are as generated\.\n$/);
    const file = join(cwd, 'bundle/manifests/metrics_service.yaml');
    await writeFile(join(cwd, 'bundle/manifests/old.yaml'), await readFile(file, 'utf8'));
    await rm(file);
    const { code, out, err } = await bundle('--check');
    assert.equal(code, 1);
    assert.equal(out, 'missing    bundle/manifests/metrics_service.yaml\nleft over  bundle/manifests/old.yaml\n');
    assert.match(err, /^keelson bundle: 2 files are not as generated; run "keelson bundle" and commit/);
    const forScripts = await bundle('--check', '--output', 'json');
    assert.deepEqual([forScripts.code, JSON.parse(forScripts.out).changes.length], [1, 2]);
    assert.equal((await bundle()).code, 0);
    assert.equal((await bundle('--check')).code, 0);
    assert.equal((await runKeelson(['generate', '--check'], { cwd })).out.includes('bundle/'), false);
  });

  test('--catalogue adds each version to the catalogue of a folder, and refuses two heads', async () => {
    await said();
    const first = await bundle('--version', '1.0.0', '--catalogue', 'offers');
    assert.deepEqual([first.code, first.err], [0, '']);
    assert.match(first.out, /^created {2}offers\/website\/catalog\.yaml$/m);
    const lost = await bundle('--version', '1.1.0', '--catalogue', 'offers');
    assert.equal(lost.code, 1);
    assert.match(lost.err, /would have 2 heads .*; let this version replace or skip website\.v1\.0\.0/);
    assert.equal((await bundle('--version', '1.1.0', '--replaces', '1.0.0', '--catalogue', 'offers')).code, 0);
    const text = await readFile(join(cwd, 'offers/website/catalog.yaml'), 'utf8');
    assert.match(text, /- name: website\.v1\.1\.0\n {2}replaces: website\.v1\.0\.0\n/);
    const again = await bundle('--version', '1.1.0', '--replaces', '1.0.0', '--catalogue', 'offers', '--check');
    assert.equal(again.code, 0, again.out);
  });

  test('a flag that cannot be is a mistake in the command line, and the same in a file is not', async () => {
    await said('version: 1.0.0\n');
    const wrong = await bundle('--version', '1.x');
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /not "1\.x"; give one such as 1\.0\.0 by --version, or in config\/bundle\.yaml\.\n$/);
    const backwards = await bundle('--replaces', '2.0.0');
    assert.equal(backwards.code, 2);
    assert.match(
      backwards.err,
      /"1\.0\.0" is not newer than "2\.0\.0", .*: take a higher version, or replace an older/,
    );
    assert.match(
      (await bundle('--default-channel', 'fast')).err,
      /"fast" is none of its channels \(stable\); take one/,
    );
    await said('version: 1.x\n');
    assert.equal((await bundle()).code, 1);
  });
});
