import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../status.ts';
import { parseJson, parseYaml } from './body.ts';
import { assertShallow, assertStorable } from './depth.ts';
import { hasOverflow, JsonSyntaxError, mergedMembers } from './strict-json.ts';

const objects = (levels: number, end = '1') => `${'{"a":'.repeat(levels)}${end}${'}'.repeat(levels)}`;
const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const isOurs = (error: unknown) => error instanceof StatusError && error.status.code === 501;
const isTheirs = (message: string) => (error: unknown) => error instanceof JsonSyntaxError && error.message === message;

for (const [name, make, character] of [
  ['objects', objects, '{'],
  ['lists', lists, '['],
] as const) {
  test(`${name} are read ten thousand deep, and refused in Go's words beyond`, async () => {
    assert.deepEqual(parseJson(make(10_000), true).duplicates, []);
    assert.equal((await parseYaml(make(10_000), false)).text.length, make(10_000).length);
    const exceeded = isTheirs(`invalid character '${character}' exceeded max depth`);
    for (const strict of [true, false]) assert.throws(() => parseJson(make(10_001), strict), exceeded);
    assert.throws(() => parseJson(make(100_000), false), exceeded);
    await assert.rejects(parseYaml(make(10_001), true), exceeded);
  });
}

test('half an object is described by what is missing, until it is too deep', () => {
  assert.throws(() => parseJson('{"a":'.repeat(9000), true), isTheirs('unexpected end of JSON input'));
  assert.throws(
    () => parseJson(`${'{"a":'.repeat(9000)}x`, true),
    /invalid character 'x' looking for beginning of value/,
  );
  assert.throws(() => parseJson('['.repeat(20_000), true), isTheirs("invalid character '[' exceeded max depth"));
});

test('what is repeated or too large is found at any depth', () => {
  const twice = parseJson(objects(8000, '{"b":1,"b":2}'), true).duplicates;
  assert.deepEqual(twice, [`${'a.'.repeat(8000)}b`]);
  assert.equal(hasOverflow(JSON.parse(objects(8000, '1e999'))), true);
  assert.equal(hasOverflow(JSON.parse(objects(8000, '"1e999"'))), false);
  assert.deepEqual(mergedMembers('{"a":{"b":[1,{}]},"a":{"c":null},"d":1,"d":[]}'), {
    a: { b: [1, {}], c: null },
    d: [],
  });
});

test('brackets in a text are no levels', () => {
  const text = JSON.stringify({ a: `${'['.repeat(20_000)}"\\` });
  assert.equal((parseJson(text, true).value as { readonly a: string }).a.length, 20_002);
  assert.throws(() => parseJson(text.slice(0, -1), true), isTheirs('unexpected end of JSON input'));
});

test('YAML that is deeper than the stack of its parser is refused by us', async () => {
  const text = Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  await assert.rejects(parseYaml(text, true), isOurs);
});

test('what calls itself takes a thousand levels', () => {
  assertShallow(JSON.parse(objects(1000)), 'this');
  assert.throws(() => assertShallow(JSON.parse(objects(1001)), 'this'), isOurs);
});

test('what could not be read again is not stored', () => {
  assertStorable(JSON.parse(objects(10_000)) as object);
  const isRefused = (error: unknown) =>
    error instanceof StatusError &&
    error.status.code === 500 &&
    error.message === "invalid character '{' exceeded max depth";
  assert.throws(() => assertStorable(JSON.parse(objects(10_001)) as object), isRefused);
});
