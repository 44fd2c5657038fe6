import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { indexOfText, lastIndexOfText, splitText } from './text-search.ts';

const texts = fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 }).map((units) => units.join(''));
const parts = fc.array(fc.constantFrom('a', 'a', 'b'), { minLength: 1, maxLength: 24 }).map((units) => units.join(''));

test('a text is found where the engine finds it, however much it repeats itself', () => {
  fc.assert(
    fc.property(texts, parts, texts, fc.nat(80), (before, part, after, from) => {
      const text = `${before}${part}${part}${after}`;
      assert.equal(indexOfText(text, part, from), text.indexOf(part, from));
      assert.equal(lastIndexOfText(text, part, from), text.lastIndexOf(part, from));
      assert.deepEqual(splitText(text, part), text.split(part));
    }),
  );
});
