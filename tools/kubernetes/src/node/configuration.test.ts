import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { layoutOf } from '../cluster-directory/layout.ts';
import { containerdConfiguration, kubeletConfiguration, podNetwork } from './configuration.ts';
import { setupScript } from './namespaces.ts';
import { networkNumber } from './network.ts';

test('kubelet runs on cgroup v1, below a group of its own, with the address of the node', () => {
  const configuration = parse(kubeletConfiguration({ network: networkNumber(7), cgroup: 'keelson-1234567890' }));
  assert.equal(configuration.failCgroupV1, false);
  assert.equal(configuration.cgroupRoot, '/keelson-1234567890');
  assert.equal(configuration.address, '10.245.7.2');
});

test('containerd keeps what it writes in places that are private to the node', () => {
  const paths = [...containerdConfiguration('overlayfs').matchAll(/"(\/[^"]*)"/g)].map(([, path]) => path ?? '');
  assert.ok(paths.length > 5);
  for (const path of paths) assert.match(path, /^\/(run|var\/lib)\//);
});

test('pods get addresses of their range', () => {
  const { plugins } = JSON.parse(podNetwork(networkNumber(7)));
  assert.deepEqual(plugins[0].ipam.ranges, [[{ subnet: '10.244.7.0/24' }]]);
});

test('the script that sets the node up quotes paths as the shell needs it', () => {
  const layout = layoutOf("/home/o'brien/my cache");
  const script = setupScript({ layout, packages: '/packages', programs: { pause: '/pause' }, env: {} }, '/done');
  assert.match(script, /^cd '\/home\/o'\\''brien\/my cache\/node'$/m);
});
