/** `keelson generate`: what it writes, what it leaves alone, and how it tells of drift. */
import assert from 'node:assert/strict';
import fs, { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createProjects, type Projects, websiteManifest, websiteSource } from './projects.ts';
import { runKeelson } from './test-shell.ts';

for (const name of ['memcached', 'echo']) {
  test(`the files of operators/${name} are as generated`, async () => {
    const cwd = fileURLToPath(new URL(`../../../operators/${name}`, import.meta.url));
    const { code, out, err } = await runKeelson(['generate', '--check'], { cwd });
    assert.deepEqual([code, err], [0, ''], out);
  });
}

test("Echo's chart has the values of document 003, and needs no namespace that is not there", async () => {
  const file = new URL('../../../operators/echo/chart/values.yaml', import.meta.url);
  const { ha, numWorkers, env, logLevel, monitoring } = parse(await readFile(file, 'utf8'));
  assert.deepEqual(ha, {
    enabled: true,
    replicaCount: 3,
    leaderElection: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 },
  });
  assert.deepEqual([numWorkers, env, logLevel], [4, 'production', 'info']);
  const { enabled, path, port, interval, labels, namespace } = monitoring;
  assert.deepEqual([enabled, path, port, interval], [true, '/metrics', 2112, '10s']);
  assert.deepEqual([labels, namespace], [{ release: 'monitoring' }, '']);
});

/** Runs it on a disk that fails in some ways. */
async function withFs<T>(broken: Partial<typeof fs.promises>, run: () => Promise<T>): Promise<T> {
  const { rename, rm, rmdir } = fs.promises;
  Object.assign(fs.promises, broken);
  syncBuiltinESMExports();
  try {
    return await run();
  } finally {
    Object.assign(fs.promises, { rename, rm, rmdir });
    syncBuiltinESMExports();
  }
}

describe('keelson generate', () => {
  let projects: Projects;
  let made = 0;
  before(async () => {
    projects = await createProjects();
  });
  after(() => projects[Symbol.asyncDispose]());

  /** A project of its own, with everything generated. */
  const project = async (manifest = websiteManifest) => {
    made += 1;
    const name = `project-${made}`;
    await projects.write(`${name}/package.json`, manifest);
    await projects.write(`${name}/src/operator.ts`, websiteSource({ group: `${name}.example.com` }));
    const cwd = join(projects.root, name);
    const generate = (...args: readonly string[]) => runKeelson(['generate', ...args], { cwd });
    const first = await generate();
    assert.equal(first.code, 0, first.err);
    return { name, cwd, generate, first, file: (path: string) => join(cwd, path) };
  };
  const role = 'config/rbac/role.yaml';
  const withLine = async (file: string, line: string) => writeFile(file, (await readFile(file, 'utf8')) + line);

  test('the definition of a kind that converts says where that is done, and names no authority', async () => {
    const { name, generate, file } = await project();
    const older = 'v0: { spec: z.object({ count: z.int32().optional() }) },';
    const source = websiteSource({ group: `${name}.example.com` });
    const converting = source.replace('versions: {', `conversions: { v0: {} }, versions: { ${older}`);
    // A module that was imported is not read again.
    const { code, err } = await generate('--operator', await projects.write(`${name}/src/converting.ts`, converting));
    assert.deepEqual([code, err], [0, '']);
    const definition = await readFile(file(`config/crd/bases/${name}.example.com_websites.yaml`), 'utf8');
    assert.match(definition, /strategy: Webhook/);
    assert.doesNotMatch(definition, /caBundle/);
  });

  test('it writes what is missing and says so, and a second time nothing', async () => {
    const { generate, first, file, cwd } = await project();
    assert.match(first.out, /^created {2}config\/rbac\/role\.yaml$/m);
    const { mtimeMs } = await stat(file(role));
    const again = await generate();
    assert.match(again.out, new RegExp(`^All \\d+ files in ${cwd} are as generated\\.\\n$`));
    assert.equal((await stat(file(role))).mtimeMs, mtimeMs);
    assert.equal((await generate('--check')).code, 0);
  });

  test('--check shows the lines that differ, writes nothing and exits with 1', async () => {
    const { generate, file } = await project();
    await withLine(file(role), '# mine\n');
    await rm(file('docs/api.md'));
    const { code, out, err } = await generate('--check');
    assert.equal(code, 1);
    assert.equal(
      err,
      'keelson generate: 2 files are not as generated; run "keelson generate" and commit what it writes.\n',
    );
    assert.match(
      out,
      /^differs {4}config\/rbac\/role\.yaml\n {4}@@ \d+\n( {5}.*\n){2} {4}-# mine\nmissing {4}docs\/api\.md\n$/,
    );
    assert.match(await readFile(file(role), 'utf8'), /# mine\n$/);

    const forScripts = await generate('--check', '--output', 'json');
    assert.deepEqual([forScripts.code, forScripts.err], [1, '']);
    const { changes } = JSON.parse(forScripts.out);
    assert.deepEqual(
      changes.map(({ path, change }: { path: string; change: string }) => `${change} ${path}`),
      [`update ${role}`, 'create docs/api.md'],
    );
    assert.match((await generate()).out, /^updated {2}config\/rbac\/role\.yaml\ncreated {2}docs\/api\.md\n$/);
  });

  test('what is no longer generated is removed, if it is ours', async () => {
    const { generate, file } = await project();
    await writeFile(file('config/rbac/old.yaml'), await readFile(file(role), 'utf8'));
    await mkdir(file('config/webhook'));
    await writeFile(file('config/webhook/old.yaml'), await readFile(file(role), 'utf8'));
    await writeFile(file('config/rbac/mine.yaml'), 'kind: Role\n');
    assert.match(
      (await generate('--check')).out,
      /^left over {2}config\/rbac\/old\.yaml\nleft over {2}config\/webhook\/old/,
    );
    assert.equal((await generate()).out, 'removed  config/rbac/old.yaml\nremoved  config/webhook/old.yaml\n');
    assert.ok((await readdir(file('config/rbac'))).includes('mine.yaml'));
    assert.ok(!(await readdir(file('config'))).includes('webhook'), 'the empty folder goes, too');
  });

  test('files of the user are made once and never overwritten', async () => {
    const { name, generate, file } = await project();
    const sample = `config/samples/${name}_v1_website.yaml`;
    for (const path of [sample, 'config/default/kustomization.yaml']) {
      await withLine(file(path), '# mine\n');
      assert.equal((await generate('--check')).code, 0);
      await generate();
      assert.match(await readFile(file(path), 'utf8'), /# mine\n$/);
    }
  });

  test('a sample that the kinds do not allow is told of with its path, and fails --check', async () => {
    const { name, cwd, generate } = await project();
    const of = (version: string, rest: string) => `apiVersion: ${name}.example.com/${version}\nkind: ${rest}\n`;
    const samples = {
      'allowed.yaml': of('v1', 'Website\nspec: { size: 3 }'),
      'field.yaml': of('v1', 'Website\nspec: { colour: red, size: many }'),
      'foreign.yaml': 'apiVersion: v1\nkind: ConfigMap\ndata: 7\n',
      'gone.yaml': `${of('v1', 'Webpage')}---\n${of('v2', 'Website')}`,
      'yaml.yaml': 'kind: [\n',
    };
    for (const [file, text] of Object.entries(samples)) await projects.write(`${name}/config/samples/${file}`, text);
    const told = [
      'field.yaml: spec.colour: no such field',
      'field.yaml: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      `gone.yaml: the operator defines no Webpage in ${name}.example.com/v1`,
      `gone.yaml: the operator defines no Website in ${name}.example.com/v2`,
      'yaml.yaml: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1:',
    ].map((line) => `keelson generate: config/samples/${line}\n`);
    const written = await generate();
    assert.deepEqual([written.code, written.err], [0, told.join('')]);
    const last =
      "keelson generate: 3 samples are not what the operator's kinds allow; mend it by hand: samples are yours.\n";
    const checked = await generate('--check');
    assert.deepEqual([checked.code, checked.err], [1, `${told.join('')}${last}`]);
    const { code, out } = await runKeelson(['generate', '--check', '--output', 'json'], { cwd });
    assert.deepEqual([code, JSON.parse(out).samples.length], [1, 5]);
  });

  test('a name or an image that cannot be is a mistake of the command line, or of package.json', async () => {
    const { generate } = await project();
    for (const [flag, value] of [
      ['--namespace', 'Foo_Bar'],
      ['--image', 'not an image'],
    ] as const) {
      const { code, err } = await generate(flag, value);
      assert.equal(code, 2);
      assert.match(err, new RegExp(`^keelson generate: website: "${value}" is no `));
    }
    const { cwd } = await project();
    await writeFile(join(cwd, 'package.json'), websiteManifest.replace('}', ', "namespace": "Foo_Bar" }'));
    assert.equal((await runKeelson(['generate'], { cwd })).code, 1);
  });

  test('a file that somebody else wrote is not overwritten, and nothing else is written either', async () => {
    const { generate, file } = await project();
    await writeFile(file(role), 'kind: Role\n');
    await rm(file('docs/api.md'));
    const { code, err } = await generate();
    assert.equal(code, 1);
    assert.match(
      err,
      /^keelson generate: config\/rbac\/role\.yaml in \S+ is not generated, and would be overwritten; move it away/,
    );
    assert.equal(await readFile(file(role), 'utf8'), 'kind: Role\n');
    await assert.rejects(stat(file('docs/api.md')));
  });

  test('a write that fails half way leaves everything as it was', async () => {
    const { generate, file } = await project();
    await rm(file('config/crd'), { recursive: true });
    await withLine(file(role), '# drift\n');
    await rm(file('docs'), { recursive: true });
    await writeFile(file('docs'), 'a file where a folder should be\n');
    const { code, err } = await generate();
    assert.equal(code, 1);
    assert.match(err, /^keelson generate: nothing was written: .*docs.*; see who may write there\.\n$/);
    assert.match(await readFile(file(role), 'utf8'), /# drift\n$/);
    await assert.rejects(stat(file('config/crd')));
  });

  test('a step that fails after it was made is undone, too, and so is every other', async () => {
    const { generate, file } = await project();
    await withLine(file(role), '# drift\n');
    const old = file('config/webhook/old.yaml');
    await mkdir(file('config/webhook'));
    await writeFile(old, await readFile(file(role), 'utf8'));
    const { rm: remove } = fs.promises;
    const denied = (path: unknown) => Object.assign(new Error(`EIO: ${path}`), { code: 'EIO' });
    const answer = await withFs(
      {
        async rm(path, options) {
          await remove(path, options);
          if (path === old) throw denied(path);
        },
      },
      generate,
    );
    assert.equal(answer.code, 1);
    assert.match(answer.err, /^keelson generate: nothing was written: EIO: .*old\.yaml; see who may write there\.\n$/);
    assert.match(await readFile(old, 'utf8'), /# drift\n$/);
    assert.match(await readFile(file(role), 'utf8'), /# drift\n$/);

    const { rename } = fs.promises;
    const stuck = await withFs(
      {
        async rm(path, options) {
          await remove(path, options);
          if (path === old) throw denied(path);
        },
        rename: (from, to) => (to === old ? Promise.reject(denied(to)) : rename(from, to)),
      },
      generate,
    );
    assert.match(
      stuck.err,
      /^keelson generate: some of it was written: .*; this could not be undone: EIO: .*old\.yaml\.\n$/,
    );
    assert.match(await readFile(file(role), 'utf8'), /# drift\n$/, 'the others are undone');

    await writeFile(old, await readFile(file(role), 'utf8'));
    const kept = await withFs({ rmdir: (path) => Promise.reject(denied(path)) }, generate);
    assert.deepEqual([kept.code, kept.err], [0, ''], 'an empty folder may stay');
  });

  test('nothing is written or removed through a symlink', async () => {
    const { cwd, generate, file } = await project();
    const outside = join(projects.root, 'outside');
    for (const [path, next] of [
      ['config/rbac', 'old.yaml'],
      ['docs', 'old.md'],
    ] as const) {
      await rename(file(path), outside);
      await symlink(outside, file(path));
      await writeFile(join(outside, next), await readFile(file('config/manager/deployment.yaml'), 'utf8'));
      assert.equal((await generate()).code, 0, 'nothing has to change');
      assert.ok(existsSync(join(outside, next)));
      const [first = ''] = (await readdir(outside)).filter((name) => name !== next);
      await rm(join(outside, first));
      assert.deepEqual(await generate(), {
        code: 1,
        out: '',
        err: `keelson generate: ${path} in ${cwd} is a symlink, through which nothing is written; put what is meant in place of it.\n`,
      });
      assert.ok(!existsSync(join(outside, first)));
      await rm(file(path));
      await rm(outside, { recursive: true });
      await generate();
    }
    await rm(file(role));
    await symlink('nowhere', file(role));
    assert.match((await generate()).err, /^keelson generate: config\/rbac\/role\.yaml in \S+ is a symlink, /);
    assert.ok(!existsSync(file('config/rbac/nowhere')));
  });

  test('a chart is made when it is asked for, and kept up to date from then on', async () => {
    const { generate, file } = await project(
      JSON.stringify({
        ...JSON.parse(websiteManifest),
        description: 'Keeps websites.',
        author: 'Ada <ada@example.com>',
      }),
    );
    assert.ok(!existsSync(file('chart')));
    assert.match((await generate('chart')).out, /^created {2}chart\/Chart\.yaml$/m);
    const chart = await readFile(file('chart/Chart.yaml'), 'utf8');
    assert.match(
      chart,
      /description: Keeps websites\.\n(.*\n)*maintainers:\n- name: Ada\n {2}email: ada@example\.com\n/,
    );
    await writeFile(file('chart/templates/mine.yaml'), '# mine\n');
    for (const left of ['templates/old.tpl', 'old.schema.json', 'templates/old.txt']) {
      const like = left.endsWith('json') ? 'values.schema.json' : 'templates/_helpers.tpl';
      await writeFile(file(`chart/${left}`), await readFile(file(`chart/${like}`), 'utf8'));
    }
    await withLine(file('chart/values.yaml'), 'mine: true\n');
    const { code, out } = await generate('--check');
    assert.equal(code, 1);
    assert.deepEqual(
      out.match(/^(differs|left over) +\S+/gm)?.map((line) => line.replace(/ {2,}/, ' ')),
      [
        'left over chart/old.schema.json',
        'left over chart/templates/old.tpl',
        'left over chart/templates/old.txt',
        'differs chart/values.yaml',
      ],
    );
    assert.equal((await generate()).code, 0);
    assert.equal((await generate('--check')).code, 0);
    assert.ok(existsSync(file('chart/templates/mine.yaml')));
  });

  test('Ctrl-C waits from the first write on', async () => {
    const { cwd, generate, file } = await project();
    await rm(file('docs/api.md'));
    const missing: boolean[] = [];
    const stopSignal = () => {
      missing.push(!existsSync(file('docs/api.md')));
      return new AbortController().signal;
    };
    await runKeelson(['generate', '--check'], { cwd, stopSignal });
    assert.deepEqual(missing, []);
    await runKeelson(['generate'], { cwd, stopSignal });
    assert.deepEqual(missing, [true]);
    assert.equal((await generate('--check')).code, 0);
  });

  test('flags come before package.json, which comes before what the operator says', async () => {
    const manifest = JSON.stringify({
      type: 'module',
      version: '1.2.3',
      keelson: { operator: './src/operator.ts', image: 'r/website:1', namespaces: ['blue'] },
    });
    const { generate, file, cwd } = await project(manifest);
    const deployment = () => readFile(file('config/manager/deployment.yaml'), 'utf8');
    assert.match(
      await deployment(),
      /namespace: website-system\n[\s\S]*version: '1\.2\.3'\n[\s\S]*image: r\/website:1\n/,
    );
    assert.match(await deployment(), /- name: WATCH_NAMESPACE\n +value: blue\n/);
    await generate('--image', 'r/website:2', '--namespace', 'web');
    assert.match(await deployment(), /namespace: web\n[\s\S]*image: r\/website:2\n/);
    const { out } = await generate('--output-dir', 'elsewhere', '--output', 'json');
    assert.equal(JSON.parse(out).folder, join(cwd, 'elsewhere'));
    assert.ok((await readdir(file('elsewhere'))).includes('config'));
  });

  test('what cannot be is told with where it stands and what to do', async () => {
    const { generate, file } = await project();
    assert.match((await generate('--namespace', 'My_Space')).err, /"My_Space" is no name of a namespace/);
    await writeFile(file('package.json'), websiteManifest.replace('} }', ', "image": 7 } }'));
    assert.match((await generate()).err, /package\.json: keelson\.image is 7; make it a text\.\n$/);
    await writeFile(file('package.json'), websiteManifest.replace('} }', ', "namespaces": "blue" } }'));
    assert.match((await generate()).err, /keelson\.namespaces is "blue"; make it a list of texts\.\n$/);
  });
});
