import assert from 'node:assert/strict';
import { test } from 'node:test';
import { residentKib } from './resident.ts';

test('the resident memory is the line VmRSS, and not its peak', () => {
  assert.equal(residentKib('Name:\tnode\nVmHWM:\t  120000 kB\nVmRSS:\t   98304 kB\nRssAnon:\t   60000 kB\n'), 98304);
});

test('a process that has ended holds no memory that could be measured', () => {
  assert.throws(() => residentKib('Name:\tnode\nState:\tZ (zombie)\n'), RangeError);
});
