import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unportable } from './portable-texts.ts';

const npm = ['npmjs', 'org'].join('.'); // in two parts, or this file would be a mistake itself
const home = ['', 'home', 'ada'].join('/');

for (const text of [
  `see ${home}/keelson`,
  ` "resolved": "https://registry.${npm}/zod"`,
  `cat ${['', 'root', 'x'].join('/')}`,
]) {
  test(`${text} is found`, () => assert.equal(unportable(`first\n${text}\n`)[0]?.line, 2));
}

for (const text of ['~/.kube/config', '/home/me/.kube/config', 'the root/folder', 'packages/core/src', 'docs/root/']) {
  test(`${text} holds everywhere`, () => assert.deepEqual(unportable(text), []));
}
