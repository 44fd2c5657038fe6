import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comment } from './comment.ts';

const word = 'abcdefghi'; // with its space, ten columns

const cases: readonly { readonly name: string; readonly text: string | undefined; readonly printed: string }[] = [
  { name: 'no description is no comment', text: undefined, printed: '' },
  { name: 'an empty description is no comment', text: ' \n', printed: '' },
  { name: 'a short one stays on its line', text: 'Replicas.', printed: '  /** Replicas. */\n' },
  {
    name: 'paragraphs and lists keep their lines',
    text: 'First.\n\nOne of:\n - a\n - b',
    printed: '  /**\n   * First.\n   *\n   * One of:\n   *  - a\n   *  - b\n   */\n',
  },
  {
    name: 'a line of 121 columns is wrapped at 120',
    text: Array(12).fill(word).join(' '),
    printed: `  /**\n   * ${Array(11).fill(word).join(' ')}\n   * ${word}\n   */\n`,
  },
  {
    name: 'a wrapped line keeps its indentation',
    text: `x\n  ${Array(12).fill(word).join(' ')}`,
    printed: `  /**\n   * x\n   *   ${Array(11).fill(word).join(' ')}\n   *   ${word}\n   */\n`,
  },
  {
    name: 'a table keeps its spaces, and tabs become two',
    text: 'x\n\ta:   1\n\tbcd: 2',
    printed: '  /**\n   * x\n   *   a:   1\n   *   bcd: 2\n   */\n',
  },
  { name: 'the end of a comment is escaped', text: "'*/scale'", printed: "  /** '*\\/scale' */\n" },
  {
    name: "Go's mark of deprecation becomes JSDoc's",
    text: 'Endpoints.\n\nDeprecated: use EndpointSlice.',
    printed: '  /**\n   * Endpoints.\n   *\n   * @deprecated use EndpointSlice.\n   */\n',
  },
];

for (const { name, text, printed } of cases) test(name, () => assert.equal(comment(text, '  '), printed));
