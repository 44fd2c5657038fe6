/**
 * Everything here reads what strangers write, up to the 3 MiB that a server takes for a body. So a table of texts that
 * were made to be slow, for each parser: four times the text may take about four times as long, and never sixteen times.
 * Whether a text is accepted is no matter here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareText, decodeFields, encodeFields, goJson, printPaths, union } from '@keelson/core/fields';
import { canonicalStep } from './fields/step.ts';
import {
  addQuantities,
  applyJsonPatch,
  applyMergePatch,
  compareQuantities,
  equalJson,
  finalizerProblem,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseKey,
  parseLabelSelector,
  parseQuantity,
  printQuantity,
  project,
  quantityToNumber,
  requirementsOf,
} from './index.ts';

const bodyLimit = 3 * 1024 * 1024;
/** Below this there is nothing to compare but noise. */
const negligibleMs = 40;
/** Linear work has 4, quadratic 16. */
const maxGrowth = 9;

type Parse = () => unknown;

const full = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const members = (length: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: Math.ceil(length / 60) }, (_, i) => [`k${i}`, value]));
/** As many operations as a patch may have, for a long one. */
const operations = (length: number, make: (i: number) => object): object[] =>
  Array.from({ length: Math.min(10_000, Math.ceil(length / 40)) }, (_, i) => make(i));

function quantity(text: string): unknown {
  const read = parseQuantity(text);
  return [printQuantity(read), quantityToNumber(read), compareQuantities(read, addQuantities(read, read))];
}

/** What is prepared outside of the function that is returned is not measured. */
const table: Readonly<Record<string, (length: number) => Parse>> = {
  'a quantity of digits': (length) => () => quantity(full('123456789', length)),
  'a quantity of zeros behind a one': (length) => () => quantity(`1${full('0', length)}`),
  'a quantity of zeros': (length) => () => quantity(full('0', length)),
  'a quantity of 9,999 zeros': () => () => quantity(`1${full('0', 9999)}`),
  'a binary quantity of digits': (length) => () => quantity(`${full('123456789', length)}Ki`),
  'a quantity with a long fraction': (length) => () => quantity(`0.${full('123456789', length)}`),
  'a quantity with a late fraction': (length) => () => quantity(`0.${full('0', length)}1`),
  'a quantity with a long exponent': (length) => () => quantity(`1e${full('1', length)}`),
  'a quantity with a suffix without end': (length) => () => quantity(`1${full('eE', length)}!`),
  'a quantity with spaces inside': (length) => () => quantity(`1${full(' ', length)}1`),
  'a quantity of points': (length) => () => quantity(full('.', length)),
  'labels of many requirements': (length) => () => parseLabelSelector(`${full('a=b,', length)}a`),
  'labels that end in something else': (length) => () => parseLabelSelector(`${full('a=b,', length)}(`),
  'a label in many values': (length) => () => parseLabelSelector(`a in (${full('b,', length)})`),
  'a label of one long word': (length) => () => parseLabelSelector(full('a', length)),
  'a label with a domain without end': (length) => () => parseLabelSelector(`${full('a-', length)}/b`),
  'a label of slashes': (length) => () => parseLabelSelector(full('/', length)),
  'labels of spaces': (length) => () => parseLabelSelector(`${full(' ', length)}a b`),
  'labels of symbols': (length) => () => parseLabelSelector(full('!', length)),
  'labels that match an object': (length) => {
    const labels = Object.fromEntries(Object.keys(members(length, '')).map((name) => [name, 'x']));
    return () => matchesLabels(requirementsOf(labels), labels);
  },
  'fields of many requirements': (length) => () => parseFieldSelector(full('a=b,', length)),
  'fields of backslashes': (length) => () => parseFieldSelector(`a=${full('\\', length)}`),
  'fields of commas': (length) => () => parseFieldSelector(full(',', length)),
  'fields of equals signs': (length) => () => parseFieldSelector(full('=,', length)),
  'fields without an operator': (length) => () => parseFieldSelector(full('a,', length)),
  'a field of many steps': (length) => () =>
    matchesFields([{ field: full('a.', length), operator: '=', value: '' }], { a: {} }),
  'a key of slashes': (length) => () => parseKey(full('/', length)),
  'the name of a finalizer': (length) => () => finalizerProblem(`${full('a-', length)}/x`),
  'a step with spaces': (length) => () => canonicalStep(`k:{${full(' ', length)}"a`),
  'a step with spaces behind a name': (length) => () => canonicalStep(`k:{"a"${full(' ', length)}x`),
  'a step with spaces in front': (length) => () => canonicalStep(`k:${full(' ', length)}x`),
  'a step of backslashes': (length) => () => canonicalStep(`k:{"${full('\\', length)}x`),
  'a step of many keys': (length) => () => canonicalStep(`k:{${full('"a":1,', length - (length % 6))}"b":1}`),
  'a step of a long number': (length) => () => canonicalStep(`k:{"a":${full('1', length)}}`),
  'a step of a deep value': (length) => () => canonicalStep(`v:${full('[', length / 16)}${full(']', length / 16)}`),
  'a step of half a deep value': (length) => () => canonicalStep(`v:${full('[', length / 16)}`),
  'a step of an index': (length) => () => canonicalStep(`i:${full('1', length)}`),
  'a wide field set': (length) => {
    const fields = Object.fromEntries(Object.keys(members(length, 0)).map((name) => [`f:${name}`, {}]));
    return () => printPaths(union(decodeFields(encodeFields(decodeFields(fields))), decodeFields(fields)));
  },
  'a field set of list items': (length) => {
    const items = Object.keys(members(length, 0)).map((name) => ({ name, value: 1 }));
    const fields = Object.fromEntries(items.map(({ name }) => [`k:{"name":"${name}"}`, { 'f:value': {} }]));
    return () => project(items, fields);
  },
  'a text with much to escape': (length) => () => goJson(full('\u2028<\\b', length)),
  'an order of long texts': (length) => {
    const text = `${full('a', length)}\u{1f600}`;
    return () => compareText(text, `${text}a`);
  },
  'a JSON patch with a long path': (length) => () => patched({ a: 1 }, { op: 'add', path: full('/a', length) }),
  'a JSON patch with tildes': (length) => () => patched({ a: 1 }, { op: 'add', path: `/${full('~', length)}` }),
  'a JSON patch with a long index': (length) => () =>
    patched({ a: [] }, { op: 'add', path: `/a/${full('1', length)}` }),
  'a JSON patch that copies and writes in turn': (length) => {
    const document = { a: members(length, 1), x: 1 };
    const copy = { op: 'copy', from: '/x', path: '/y' };
    const patch = operations(length, (i) => (i % 2 === 0 ? copy : { op: 'add', path: '/a/z', value: i }));
    return () => patched(document, ...patch);
  },
  'a JSON patch that copies what it copied': (length) => {
    const document = { a: [full('x', length)] };
    return () => patched(document, ...operations(length, () => ({ op: 'copy', from: '/a', path: '/a/-' })));
  },
  'a JSON patch that adds in front of a long list': (length) => {
    const document = { a: Array.from({ length: length / 4 }, () => 1) };
    return () => patched(document, ...operations(length, () => ({ op: 'add', path: '/a/0', value: 1 })));
  },
  'a JSON patch that empties an object': (length) => {
    const patch = operations(length, (i) => ({ op: 'remove', path: `/k${i}` }));
    return () => patched(members(length, 1), ...patch);
  },
  'a JSON patch that tests a large value': (length) => {
    const document = { a: members(length, 1) };
    return () => patched(document, ...operations(length, () => ({ op: 'test', path: '/a', value: {} })));
  },
  'a merge patch of many members': (length) => {
    const [document, patch] = [members(length, 1), members(length, null)];
    return () => applyMergePatch(document, patch);
  },
  'a merge patch of a new value': (length) => () => applyMergePatch({}, { a: members(length, { b: null }) }),
};

function patched(document: unknown, ...patch: readonly object[]): unknown {
  return applyJsonPatch(document, patch);
}

for (const [name, make] of Object.entries(table)) {
  test(`${name}: time grows as the text does`, (t) => {
    let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // Others use the machine and its caches too, which makes a reading too long, never too short.
    for (let tries = 0; tries < 10; tries++) {
      large = Math.min(large, timeOf(make(bodyLimit)));
      if (large < negligibleMs) return;
      small = Math.min(small, timeOf(make(bodyLimit / 4)));
      if (large / small <= maxGrowth) return;
    }
    t.diagnostic(`${small.toFixed(1)} ms, and ${large.toFixed(1)} ms for four times as much`);
    assert.fail(`four times the text took ${(large / small).toFixed(1)} times as long (${large.toFixed(0)} ms)`);
  });
}

/** Of this thread's processor. What is refused is as good as what is read. */
function timeOf(parse: Parse): number {
  const before = process.threadCpuUsage();
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.doesNotMatch(error.message, /call stack|heap|Invalid string length/);
    assert.ok(error.message.length < 10_000, `an error of ${error.message.length} characters`);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** As deep as a server lets values be, and then some. */
const depth = 11_000;

test('no depth of nesting is too much', () => {
  const nested = (make: (inner: unknown) => unknown, innermost: unknown = 1): unknown => {
    let value = innermost;
    for (let i = 0; i < depth; i++) value = make(value);
    return value;
  };
  for (const make of [(inner: unknown) => [inner], (inner: unknown) => ({ 'f:a': inner })]) {
    const [one, same, other] = [nested(make), nested(make), nested(make, 2)];
    assert.ok(equalJson(one, same));
    assert.ok(!equalJson(one, other));
    assert.equal(applyMergePatch(one, same), one);
    assert.ok(equalJson(applyMergePatch(one, other), other));
    assert.ok(equalJson(applyMergePatch(undefined, one), one));
    assert.equal(goJson(one), goJson(same));
    const copied = applyJsonPatch({ a: one }, [{ op: 'copy', from: '/a', path: '/b' }]) as { readonly b: unknown };
    assert.ok(equalJson(copied.b, one));
  }
  const fields = nested((inner) => ({ 'f:a': inner }), {});
  assert.ok(equalJson(encodeFields(decodeFields(fields)), fields));
});
