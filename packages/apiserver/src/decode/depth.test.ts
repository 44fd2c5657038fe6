import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../status.ts';
import { parseJson, parseYaml } from './body.ts';
import { JsonSyntaxError } from './strict-json.ts';

const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const isOurs = (error: unknown) => error instanceof StatusError && error.status.code === 501;
const isTheirs = (message: string) => (error: unknown) => error instanceof JsonSyntaxError && error.message === message;

for (const [name, make, character] of [
  ['objects', objects, '{'],
  ['lists', lists, '['],
] as const) {
  test(`${name} are read a thousand deep, refused by us beyond, and by Kubernetes beyond ten thousand`, async () => {
    assert.deepEqual(parseJson(make(1000), true).duplicates, []);
    assert.throws(() => parseJson(make(1001), true), isOurs);
    assert.throws(() => parseJson(make(10_000), true), isOurs);
    const exceeded = isTheirs(`invalid character '${character}' exceeded max depth`);
    assert.throws(() => parseJson(make(10_001), true), exceeded);
    assert.throws(() => parseJson(make(100_000), false), exceeded);
    await assert.rejects(parseYaml(make(2000), true), isOurs);
    await assert.rejects(parseYaml(make(10_001), true), exceeded);
  });
}

test('half an object is no deeper than it opens', () => {
  assert.throws(() => parseJson('{"a":'.repeat(900), true), isTheirs('unexpected end of JSON input'));
  assert.throws(() => parseJson('{"a":'.repeat(9000), true), isOurs);
  assert.throws(() => parseJson('['.repeat(20_000), true), isTheirs("invalid character '[' exceeded max depth"));
});

test('brackets in a text are no levels', () => {
  const text = JSON.stringify({ a: `${'['.repeat(20_000)}"\\` });
  assert.equal((parseJson(text, true).value as { readonly a: string }).a.length, 20_002);
  assert.throws(() => parseJson(text.slice(0, -1), true), isTheirs('unexpected end of JSON input'));
});

test('block YAML that is deeper than the stack is refused, too', async () => {
  const text = Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  await assert.rejects(parseYaml(text, true), isOurs);
});
