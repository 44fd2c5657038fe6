import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typeSchemaFromStructural } from '../schemas/structural-schema.ts';
import { printProblems, problemsOf } from './validate.ts';

const type = typeSchemaFromStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        flag: { type: 'boolean' },
        replicas: { type: 'integer' },
        port: {},
        when: { type: 'string', format: 'date-time' },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        struct: { type: 'object', properties: { deep: { type: 'object', properties: { x: { type: 'integer' } } } } },
        atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' } } },
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
            },
          },
        },
        half: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'string' } },
        },
      },
    },
  },
});

// Each spec was applied to kube-apiserver 1.36.4, which answered 500 with these words.
test('what does not fit is told in the words of the real server', () => {
  const cases: readonly [unknown, string][] = [
    [{ unknown: 1 }, '.spec.unknown: field not declared in schema'],
    [{ text: 5 }, '.spec.text: expected string, got &value.valueUnstructured{Value:5}'],
    [{ text: true }, '.spec.text: expected string, got &value.valueUnstructured{Value:true}'],
    [
      { text: { a: 1 } },
      '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
    ],
    [{ text: [1] }, '.spec.text: expected string, got &value.valueUnstructured{Value:[]interface {}{1}}'],
    [{ replicas: 'x' }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ flag: 'x' }, '.spec.flag: expected boolean, got &{x}'],
    [{ flag: 5 }, '.spec.flag: expected boolean, got &{5}'],
    [{ list: 'x' }, '.spec.list: expected list, got &{x}'],
    [{ list: { a: 1 } }, '.spec.list: expected list, got &{map[a:1]}'],
    [{ list: [5] }, '.spec.list[0]: expected string, got &value.valueUnstructured{Value:5}'],
    [{ map: 'x' }, '.spec.map: expected map, got &{x}'],
    [{ map: [1] }, '.spec.map: expected map, got &{[1]}'],
    [{ struct: { deep: { x: 'no' } } }, '.spec.struct.deep.x: expected numeric (int or float), got string'],
    [{ atomic: { a: '1', zz: 2 } }, '.spec.atomic.zz: field not declared in schema'],
    [{ set: ['a', 'a'] }, '.spec.set: duplicate entries for key [="a"]'],
    [
      { set: ['a', 'a', 'b', 'b'] },
      'errors:\n  .spec.set: duplicate entries for key [="a"]\n  .spec.set: duplicate entries for key [="b"]',
    ],
    [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
    [{ set: [['a']] }, '.spec.set: element 0: not supported: associative list with lists as elements'],
    [{ set: [{ a: 1 }] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
    [{ items: [{ name: 'a' }, { name: 'a' }] }, '.spec.items: duplicate entries for key [name="a"]'],
    [
      { items: [{}] },
      '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ items: ['x'] }, '.spec.items: element 0: associative list with keys may not have non-map elements'],
    [{ items: [null] }, '.spec.items: element 0: associative list with keys may not have a null element'],
    [{ items: [{ name: 'a', text: 1 }] }, '.spec.items[name="a"].text: field not declared in schema'],
    [
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [{ ports: [{ name: 'x' }, { name: 'y' }] }, '.spec.ports: duplicate entries for key [protocol="TCP"]'],
    [{ half: { known: 1 } }, '.spec.half.known: expected string, got &value.valueUnstructured{Value:1}'],
  ];
  for (const [spec, message] of cases) {
    assert.equal(printProblems(problemsOf({ spec }, type, 'forbidden')), message, JSON.stringify(spec));
  }
});

test('what the real server leaves to validation is no problem here', () => {
  const specs = [
    { replicas: 1.5 },
    { ports: [{ name: 'x' }] },
    { port: { a: 1 } },
    { port: true },
    { when: 5 },
    { text: null, struct: null, set: null, map: null },
    { half: { anything: { goes: [1, {}] } } },
  ];
  for (const spec of specs) assert.deepEqual(problemsOf({ spec }, type, 'forbidden'), [], JSON.stringify(spec));
});

test('stored duplicates are tolerated', () => {
  assert.deepEqual(
    problemsOf({ spec: { set: ['a', 'a'], items: [{ name: 'a' }, { name: 'a' }] } }, type, 'allowed'),
    [],
  );
});
