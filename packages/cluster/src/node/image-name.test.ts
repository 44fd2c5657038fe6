import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyInvalid } from './image-name.ts';

test('the name of an image is told from what is none', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const good = [
    'web',
    'web:1',
    'a/b/web:1.2-x',
    'localhost/web',
    'example.com:5000/a/web_b',
    `web@${digest}`,
    `web:1@${digest}`,
  ];
  for (const image of good) assert.equal(whyInvalid(image), undefined, image);
  const said = (image: string) => whyInvalid(image)?.split('invalid reference format')[1];
  assert.equal(
    whyInvalid('BAD//:name'),
    'Failed to apply default image tag "BAD//:name": couldn\'t parse image name "BAD//:name": invalid reference format',
  );
  assert.equal(said('Web:1'), ': repository name (library/Web) must be lowercase');
  for (const image of ['web:', 'web:a b', ' web', 'web//a', 'web@sha256:1', '-web'])
    assert.equal(said(image), '', image);
});
