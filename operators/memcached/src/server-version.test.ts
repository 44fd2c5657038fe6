import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatedArgs, isOlder, versionOf } from './server-version.ts';

test('an image says its version by its tag, if it is an image of memcached', () => {
  const cases: readonly (readonly [image: string, version: string | undefined])[] = [
    ['memcached:1.6.26-alpine3.19', '1.6.26'],
    ['memcached:1.6.45', '1.6.45'],
    ['docker.io/library/memcached:1.6.38@sha256:00', '1.6.38'],
    ['registry.local:5000/team/memcached:v1.6.9', '1.6.9'],
    ['team/my-memcached-tls:1.6.40_2', '1.6.40'],
    ['memcached', undefined],
    ['memcached:latest', undefined],
    ['memcached:1.6', undefined],
    ['memcached:1.6.26rc1', undefined],
    ['memcached@sha256:00', undefined],
    ['registry.local/cache:1.6.26', undefined],
    ['registry.local/memcached/exporter:1.6.26', undefined],
    ['memcached:1.6.99999999999', undefined],
  ];
  for (const [image, version] of cases) assert.equal(versionOf(image)?.text, version, image);
});

test('versions are compared number by number', () => {
  const older = (image: string, than: string) => isOlder(versionOf(`memcached:${image}`) ?? assert.fail(image), than);
  assert.deepEqual(
    [older('1.6.9', '1.6.10'), older('1.6.10', '1.6.10'), older('1.7.0', '1.6.38'), older('0.9.9', '1.5.13')],
    [true, false, false, true],
  );
});

const lacks = (image: string, ...args: string[]) =>
  gatedArgs(image, args).map(({ index, what, since, version }) => `${index} ${what} ${since} ${version}`);

test('arguments that a version does not know are told with the version that does', () => {
  const old = 'memcached:1.5.12';
  for (const tls of ['-Z', '-vZ', '--enable-ssl', '-ossl_key=/k', 'ssl_chain_cert=/c', 'no_modern,ssl_ca_cert=/c'])
    assert.deepEqual(lacks(old, tls), ['0 TLS 1.5.13 1.5.12'], tls);
  for (const file of ['-e', '--memory-file=/m', '--memory-f'])
    assert.deepEqual(lacks('memcached:1.5.17', '-v', file), ['1 a memory file 1.5.18 1.5.17'], file);
  assert.deepEqual(lacks('a/memcached:1.6.22', '-o', 'proxy_config=/p.lua'), ['1 the proxy 1.6.23 1.6.22']);
  assert.deepEqual(lacks('a/memcached:1.6.26', '-o', 'proxy_config=routelib'), ['1 the built-in routes 1.6.33 1.6.26']);
  assert.deepEqual(lacks('memcached:1.6.26-alpine3.19', 'proxy_config=routelib'), [
    '0 the proxy in the official image 1.6.38 1.6.26',
  ]);
});

test('arguments that every version knows, or that this one does, are no matter', () => {
  assert.deepEqual(lacks('memcached:1.4.0', '-c', '2048', '--enable-sasl', '--max-item-size=2m', '-o', 'modern'), []);
  assert.deepEqual(lacks('memcached:1.6.38', '-Z', '-e', '/m', '-o', 'proxy_config=routelib,ssl_key=/k'), []);
  assert.deepEqual(lacks('a/memcached:1.6.33', 'proxy_config=routelib'), []);
});

test('an image without a version may lack what is newer than some version', () => {
  assert.deepEqual(lacks('memcached:latest', '-Z'), ['0 TLS 1.5.13 undefined']);
  assert.deepEqual(lacks('a/memcached@sha256:00', 'proxy_config=routelib'), ['0 the built-in routes 1.6.33 undefined']);
});
