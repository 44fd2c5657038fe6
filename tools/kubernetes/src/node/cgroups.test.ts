import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hierarchies } from './cgroups.ts';

test('hierarchies of both versions are found, and nothing else', () => {
  const mounts = `proc /proc proc rw,relatime 0 0
tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
`;
  assert.deepEqual(hierarchies(mounts), ['/sys/fs/cgroup/memory', '/sys/fs/cgroup/unified']);
});
