import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStat } from './process-table.ts';

const rest = (state: string) => `${state} 1 2 3 0 -1 4194560 5 6 7 8 9 10 11 12 20 0 1 0 98765 13 14 15`;

for (const [name, comm] of [
  ['a plain name', 'etcd'],
  ['a name with spaces and parentheses', 'a) S (b c'],
  ['a name with a line break', 'a\nb'],
] as const) {
  test(`the start time is found behind ${name}`, () => {
    assert.deepEqual(parseStat(`4711 (${comm}) ${rest('S')}\n`), { pid: 4711, state: 'S', startTime: '98765' });
  });
}

for (const line of ['', '4711', '4711 (etcd)', '4711 (etcd) S 1 2', 'x (etcd) S']) {
  test(`"${line}" is not taken for a process`, () => assert.equal(parseStat(line), undefined));
}
