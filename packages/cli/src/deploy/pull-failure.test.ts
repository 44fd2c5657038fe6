import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullFailure } from './pull-failure.ts';

const image = 'r.example.com/web:1';
const again = `Back-off pulling image "${image}": ErrImagePull: `;
const unpack = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": `;

const cases: readonly (readonly [what: string, message: string, why: string, next: RegExp])[] = [
  [
    'an image that was never pushed',
    `${again}rpc error: code = NotFound desc = ${unpack}${image}: not found`,
    'not found',
    /^push it first, with --build or "keelson image push r\.example\.com\/web:1"$/,
  ],
  [
    'a registry that no name leads to',
    `${again}${unpack}failed to do request: Head "https://r.example.com/v2/web/manifests/1": dial tcp: lookup r.example.com: no such host`,
    'dial tcp: lookup r.example.com: no such host',
    /^nodes have to reach that registry/,
  ],
  [
    'a registry behind a proxy that finds nothing there',
    `${again}${unpack}failed to do request: Head "https://r.example.com/v2/web/manifests/1": read tcp 10.0.0.2:35832->10.0.0.1:443: read: connection reset by peer`,
    'read tcp 10.0.0.2:35832->10.0.0.1:443: read: connection reset by peer',
    /^nodes have to reach that registry/,
  ],
  [
    'one that wants a password',
    `${again}${unpack}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope`,
    'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope',
    /imagePullSecrets/,
  ],
  [
    'one without TLS',
    `${again}${unpack}failed to do request: Head "https://r.example.com/v2/web/manifests/1": http: server gave HTTP response to HTTPS client`,
    'http: server gave HTTP response to HTTPS client',
    /^nodes speak HTTPS to it/,
  ],
  ['a full disk', `${again}no space left on device`, 'no space left on device', /^see that the nodes can pull it/],
  ['a message that says nothing', '', 'ImagePullBackOff', /^see that the nodes can pull it/],
];
for (const [what, message, why, next] of cases) {
  test(`why an image cannot be pulled is told once: ${what}`, () => {
    const found = pullFailure(image, { reason: 'ImagePullBackOff', message });
    assert.equal(found.why, why);
    assert.match(found.next, next);
  });
}

test('a name that is none has nothing to pull', () => {
  const message = `Failed to apply default image tag "Web": couldn't parse image name "Web": invalid reference format`;
  assert.equal(pullFailure('Web', { reason: 'InvalidImageName', message }).why, message);
  assert.equal(pullFailure('Web', { reason: 'InvalidImageName', message: '' }).why, 'that is no name of an image');
});

test('a registry on loopback that a node cannot reach is told apart from one that is down', () => {
  const message = 'dial tcp 127.0.0.1:5000: connect: connection refused';
  for (const registry of ['127.0.0.1:5000', 'localhost:5000', '[::1]:5000', 'localhost']) {
    const { next } = pullFailure(`${registry}/web:1`, { reason: 'ImagePullBackOff', message });
    assert.match(next, /^on a node that address is the node itself;/);
  }
  const { next } = pullFailure('localhost.example.com/web:1', { reason: 'ImagePullBackOff', message });
  assert.match(next, /^nodes have to reach that registry/);
});
