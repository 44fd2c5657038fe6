import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines } from './object-diff.ts';

const cases: readonly (readonly [name: string, before: unknown, after: unknown, lines: readonly string[]])[] = [
  ['equal values differ nowhere', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ['nothing and an empty map or list are the same', { a: {}, b: null }, { c: [] }, []],
  ['a value in the place of another', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [' a:', '-  b: 1', '+  b: 3']],
  ['what comes is shown whole', {}, { a: { b: ['x'], c: [] } }, ['+a:', '+  b:', '+    - x']],
  ['what goes is shown whole', { a: [{ b: 1, c: { d: 2 } }] }, {}, ['-a:', '-  - b: 1', '-    c:', '-      d: 2']],
  ['a list in the place of a map', { a: { b: 1 } }, { a: [1] }, ['-a:', '-  b: 1', '+a:', '+  - 1']],
  [
    'items by their names',
    [{ name: 'a', v: 1 }, { name: 'b' }, { name: 'c', v: 1 }],
    [{ name: 'c', v: 2 }, { name: 'a', v: 1 }, { name: 'd' }],
    ['-- name: b', ' - name: c', '-  v: 1', '+  v: 2', '+- name: d'],
  ],
  [
    'items by their type or port',
    [{ type: 'Ready', v: 1 }],
    [{ type: 'Ready', v: 2 }],
    [' - type: Ready', '-  v: 1', '+  v: 2'],
  ],
  ['items without a name by their content', ['a', 'b', 'c'], ['a', 'c', 'd'], ['-- b', '+- d']],
  ['items that hold nothing', [[]], [{}], ['-- []', '+- {}']],
  ['a text in the place of a text', 'a\nb', 'a\nc', ['-b', '+c']],
  ['a list in a list', [[1, 2]], [[1, 3]], ['-- - 1', '-  - 2', '+- - 1', '+  - 3']],
  ['a name that is a number', [{ port: 80, v: 1 }], [{ port: 80, v: 2 }], [' - port: "80"', '-  v: 1', '+  v: 2']],
  ['texts line by line', { t: 'a\nb\nc\n' }, { t: 'a\nx\nc\n' }, [' t: |', '-  b', '+  x']],
  [
    'a text that loses its last end',
    { t: 'a\nb\n' },
    { t: 'a\nb' },
    ['-t: |', '-  a', '-  b', '+t: |-', '+  a', '+  b'],
  ],
  ['a text of one line and one of two', { t: 'a' }, { t: 'a\nb' }, ['-t: a', '+t: |-', '+  a', '+  b']],
  [
    'texts that YAML would take for something else',
    {},
    { a: 'true', b: '1', c: '', d: 'x: y', e: '- x', f: 'a/b:c@1', g: true, h: '*** (after)', i: ' x', j: 'no' },
    [
      '+a: "true"',
      '+b: "1"',
      '+c: ""',
      '+d: "x: y"',
      '+e: "- x"',
      '+f: a/b:c@1',
      '+g: true',
      '+h: *** (after)',
      '+i: " x"',
      '+j: "no"',
    ],
  ],
];

test('diff: a long text in the place of another is shown whole, without comparing each line with each', () => {
  const text = (what: string) =>
    ['first', ...Array.from({ length: 5000 }, (_, i) => `${what} ${i}`), 'last', ''].join('\n');
  const lines = diffLines({ t: text('old') }, { t: text('new') });
  assert.deepEqual(
    [lines[0]?.text, lines[1]?.text, lines[5001]?.text, lines.length],
    ['t: |', '  old 0', '  new 0', 10_001],
  );
});

for (const [name, before, after, lines] of cases) {
  test(`diff: ${name}`, () => {
    assert.deepEqual(
      diffLines(before, after).map(({ sign, text }) => sign + text),
      lines,
    );
  });
}

test('diff: of lists without names, as little as possible goes and comes', () => {
  const lists = [[]] as string[][];
  for (const list of lists)
    if (list.length < 4)
      lists.push(...['a', 'b', 'c'].slice(0, list.length < 3 ? 3 : 2).map((each) => [...list, each]));
  const common = ([first, ...rest]: readonly string[], other: readonly string[]): number => {
    if (first === undefined) return 0;
    const at = other.indexOf(first);
    return Math.max(common(rest, other), at < 0 ? 0 : 1 + common(rest, other.slice(at + 1)));
  };
  const without = (list: readonly string[], taken: readonly string[]) => {
    const left = [...list];
    for (const each of taken) left.splice(left.indexOf(each), 1);
    return left.sort().join('');
  };
  for (const before of lists) {
    for (const after of lists) {
      const lines = diffLines(before, after);
      const signed = (sign: string) => lines.filter((line) => line.sign === sign).map(({ text }) => text.slice(2));
      const [gone, come] = [signed('-'), signed('+')];
      const name = `${before} to ${after}`;
      assert.equal(gone.length, before.length - common(before, after), name);
      assert.equal(come.length, after.length - common(before, after), name);
      assert.equal(without(before, gone), without(after, come), name);
    }
  }
});

test('diff: what goes stands before what comes in its place', () => {
  const signs = (before: string, after: string) =>
    diffLines([...before], [...after])
      .map(({ sign, text }) => sign + text.slice(2))
      .join(' ');
  assert.equal(signs('abc', 'axc'), '-b +x');
  assert.equal(signs('abcd', 'xbzd'), '-a +x -c +z');
  assert.equal(signs('ab', 'ba'), '-a +a');
});
