import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReference } from './reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test('a reference is read as Docker reads it', () => {
  const table: readonly (readonly [string, string, string, string])[] = [
    ['node', 'docker.io', 'library/node', 'latest'],
    ['node:24-alpine3.22', 'docker.io', 'library/node', '24-alpine3.22'],
    ['example/web', 'docker.io', 'example/web', 'latest'],
    ['127.0.0.1:5000/web:dev', '127.0.0.1:5000', 'web', 'dev'],
    ['localhost/a/b/c:1', 'localhost', 'a/b/c', '1'],
    ['registry.example.com/web', 'registry.example.com', 'web', 'latest'],
    [`registry.example.com:443/web:1@${digest}`, 'registry.example.com:443', 'web', digest],
  ];
  for (const [text, registry, repository, version] of table) {
    assert.deepEqual(parseReference(text), { registry, repository, version }, text);
  }
});

test('what names no image is refused', () => {
  for (const text of ['', 'Web', 'a b', 'web:', 'registry.example.com/', 'web@sha256:abc', '../web', 'https://a.b/c']) {
    assert.throws(() => parseReference(text), /names no image; write it as/, text);
  }
});
