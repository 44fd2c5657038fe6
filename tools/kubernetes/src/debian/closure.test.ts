import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageClosure } from './closure.ts';

const dependencies = `memcached
  PreDepends: init-system-helpers
 |Depends: lsb-base
  Depends: sysvinit-utils
  Depends: libc6
  Depends: libsasl2-2
libsasl2-2
  Depends: libc6
  Depends: libdb5.3
 |Depends: libssl3
  Depends: libssl1.1
libdb5.3
  Depends: libsasl2-2
lsb-base
  Depends: libnotwanted
busybox-static
  Depends: <libvirtual>
`;

test('libraries are followed, the first of alternatives is taken, and circles end', () => {
  assert.deepEqual(packageClosure(['memcached'], dependencies), ['libdb5.3', 'libsasl2-2', 'libssl3', 'memcached']);
});

test('a package without libraries is fetched alone', () => {
  assert.deepEqual(packageClosure(['busybox-static'], dependencies), ['busybox-static']);
});

test('a package that apt does not know is still asked for, so that apt says so', () => {
  assert.deepEqual(packageClosure(['containerd'], ''), ['containerd']);
});
