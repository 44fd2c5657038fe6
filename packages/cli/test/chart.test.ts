/** `keelson chart`: a folder that Helm can add, and what a registry is sent. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { parse } from 'yaml';
import { runKeelson } from './test-shell.ts';

const root = await mkdtemp(join(tmpdir(), 'keelson-chart-'));
after(() => rm(root, { recursive: true, force: true }));
const env = { XDG_CACHE_HOME: join(root, 'cache') };
const cwd = fileURLToPath(new URL('../../../operators/echo', import.meta.url));

test('a folder gets the chart and an index that keeps what it lists already', async () => {
  const to = join(root, 'charts');
  const run = () => runKeelson(['chart', 'package', '--to', to], { cwd, env });
  const first = await run();
  assert.equal(first.code, 0, first.err);
  const bytes = await readFile(join(to, 'echo-operator-0.0.0.tgz'));
  const files = (await unpackTar(gunzipSync(bytes))).filter(({ header }) => header.type === 'file');
  assert.ok(files.some(({ header }) => header.name === 'echo-operator/Chart.yaml'));
  assert.ok(files.every(({ header }) => header.name.startsWith('echo-operator/')));
  const index = join(to, 'index.yaml');
  const [entry] = parse(await readFile(index, 'utf8')).entries['echo-operator'];
  assert.equal(entry.digest, createHash('sha256').update(bytes).digest('hex'));
  assert.deepEqual(
    [entry.urls, entry.version, entry.created],
    [['echo-operator-0.0.0.tgz'], '0.0.0', '1970-01-01T00:00:00Z'],
  );
  const older = { ...entry, version: '0.0.0-1' };
  await writeFile(
    index,
    JSON.stringify({ apiVersion: 'v1', entries: { other: [entry], 'echo-operator': [older, entry] } }),
  );
  const url = ['--url', 'https://example.com/charts/'];
  assert.equal((await runKeelson(['chart', 'package', '--to', to, ...url], { cwd, env })).code, 0);
  const { entries } = parse(await readFile(index, 'utf8'));
  assert.deepEqual(entries.other, [entry]);
  assert.deepEqual(
    entries['echo-operator'].map((each: { version: string }) => each.version),
    ['0.0.0', '0.0.0-1'],
  );
  assert.deepEqual(entries['echo-operator'][0].urls, ['https://example.com/charts/echo-operator-0.0.0.tgz']);
});

test('an index that is broken is told, and not written over', async () => {
  const to = join(root, 'broken');
  await mkdir(to);
  const index = join(to, 'index.yaml');
  for (const [text, sentence] of [
    ['entries: { a: [', /^keelson chart package: index\.yaml is no YAML: [^\n;]+; mend it, or remove it/],
    ['- a\n', /^keelson chart package: index\.yaml is no list of charts; mend it, or remove it/],
    ['entries: 5\n', /is no list of charts/],
  ] as const) {
    await writeFile(index, text);
    const { code, err } = await runKeelson(['chart', 'package', '--to', to], { cwd, env });
    assert.equal(code, 1);
    assert.match(err, sentence);
    assert.equal(await readFile(index, 'utf8'), text);
    assert.deepEqual(await readdir(to), ['index.yaml']);
  }
});

test('a registry is sent the archive, what Chart.yaml says, and last the manifest under the version', async () => {
  const sent: [string, string][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'HEAD') return response.writeHead(404).end();
      if (request.method === 'PUT') sent.push([request.url ?? '', String(Buffer.concat(chunks))]);
      const location = request.method === 'POST' ? { location: '/upload' } : {};
      response.writeHead(request.method === 'POST' ? 202 : 201, location).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const args = ['chart', 'push', `oci://${host}/charts/`, '--plain-http', host];
    const { code, out, err } = await runKeelson(args, { cwd, env });
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`^oci://${host}/charts/echo-operator:0\\.0\\.0 `));
  } finally {
    server.close();
  }
  const [path, text = ''] = sent.at(-1) ?? [];
  assert.equal(path, '/v2/charts/echo-operator/manifests/0.0.0');
  const { config, layers } = JSON.parse(text);
  assert.equal(config.mediaType, 'application/vnd.cncf.helm.config.v1+json');
  assert.equal(layers[0].mediaType, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip');
  assert.ok(sent.some(([, each]) => each.startsWith('{"apiVersion":"v2","name":"echo-operator"')));
});

test('what is no chart, or no place for one, is told', async () => {
  const none = await runKeelson(['chart', 'package', '--chart', root], { cwd, env });
  assert.match(none.err, /there is no \S+Chart\.yaml; make it with "keelson generate chart"/);
  const odd = await mkdtemp(join(root, 'odd-'));
  for (const text of ['name: "a\nversion: [', 'name: ../../up\nversion: 1.0.0\n', 'name: a\nversion: 1/../../b\n']) {
    await writeFile(join(odd, 'Chart.yaml'), text);
    const { code, err } = await runKeelson(['chart', 'package', '--chart', odd, '--to', odd], { cwd, env });
    assert.equal(code, 1);
    assert.match(err, /Chart\.yaml names no chart and version; make it again with "keelson generate chart"/);
  }
  const wrong = await runKeelson(['chart', 'push', 'https://example.com'], { cwd, env });
  assert.deepEqual([wrong.code, /is no place for a chart/.test(wrong.err)], [2, true]);
});
