import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from './body.ts';
import { JsonSyntaxError } from './strict-json.ts';

for (const [name, text] of [
  ['list', '- &a [*a]'],
  ['map', 'x: &a\n  y: *a\n'],
  ['map to merge', 'x: &a\n  <<: *a\n'],
  ['key', 'x: &a\n  ? [*a]\n  : 1\n'],
  ['map further inside', 'x: &a\n  y: [&b {z: *b}, 1]'],
  ['list beside another of its name', '[&a [1], &a [*a]]'],
] as const) {
  test(`a ${name} that holds itself is refused in the words of Go's parser`, async () => {
    await assert.rejects(
      parseYaml(text, true),
      (error) =>
        error instanceof JsonSyntaxError &&
        /^error converting YAML to JSON: yaml: anchor '[ab]' value contains itself$/.test(error.message),
    );
  });
}

test('an anchor is used beside its value, and inside it by an alias of a later one of its name', async () => {
  const { value } = await parseYaml('x: &a {b: 1}\ny: [*a, *a]\nz: &a [&a 2, *a]', true);
  assert.deepEqual(value, { x: { b: 1 }, y: [{ b: 1 }, { b: 1 }], z: [2, 2] });
});
