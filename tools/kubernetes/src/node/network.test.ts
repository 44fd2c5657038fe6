import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkNumber, overlaps, takenRanges } from './network.ts';

for (const [left, right, expected] of [
  ['10.244.0.0/24', '10.244.0.0/24', true],
  ['10.244.0.0/24', '10.244.0.7', true],
  ['10.244.0.0/16', '10.244.9.0/24', true],
  ['10.244.0.0/24', '10.244.1.0/24', false],
  ['10.245.0.1', '10.245.0.0/30', true],
  ['10.245.0.1', '10.245.0.4/30', false],
  ['192.168.0.0/16', '10.244.0.0/24', false],
] as const) {
  test(`${left} and ${right} ${expected ? 'overlap' : 'are apart'}`, () => {
    assert.equal(overlaps(left, right), expected);
    assert.equal(overlaps(right, left), expected);
  });
}

test('routes claim their ranges, but a default or a very wide one claims nothing', () => {
  const routes = `default via 192.0.2.1 dev eth0
10.0.0.0/8 via 192.0.2.1 dev eth0
10.244.3.0/24 dev docker0 proto kernel scope link src 10.244.3.1
local 10.244.3.1 dev docker0 table local proto kernel scope host src 10.244.3.1
broadcast 10.244.3.255 dev docker0 table local
`;
  assert.deepEqual(takenRanges(routes), ['10.244.3.0/24', '10.244.3.1', '10.244.3.255']);
});

test('networks of different numbers share nothing', () => {
  const [one, two] = [networkNumber(1), networkNumber(2)];
  assert.equal(overlaps(one.podRange, two.podRange), false);
  assert.notEqual(one.hostAddress, two.hostAddress);
  assert.notEqual(one.interface, two.interface);
});
