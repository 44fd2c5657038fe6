import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gnosticDocument } from './gnostic.ts';

/** Each byte as protobuf's wire format has it: tag, length, content; `12` is field 2 with a length, and so on. */
const cases: readonly (readonly [name: string, document: Record<string, unknown>, hex: string])[] = [
  ['texts', { swagger: '2.0', info: { title: 'K', version: '' } }, '0a03322e30 1203 0a014b'],
  [
    'a reference in a schema',
    { definitions: { A: { $ref: 'b', description: 'c' } } },
    '4a0d 0a0b 0a0141 1206 0a0162 220163',
  ],
  [
    'numbers, of which a zero is left out',
    { definitions: { A: { minimum: 0, maximum: 1, maxLength: 300 } } },
    '4a13 0a11 0a0141 120c 39000000000000f03f 58ac02',
  ],
  ['a type, as a list of one', { definitions: { A: { type: 'x' } } }, '4a0d 0a0b 0a0141 1206 b20103 0a0178'],
  [
    'additional properties, allowed or not',
    { definitions: { A: { additionalProperties: false } } },
    '4a0c 0a0a 0a0141 1205 aa01021000',
  ],
  [
    'an extension, as YAML',
    { definitions: { A: { 'x-b': true } } },
    '4a17 0a15 0a0141 1210 fa010d 0a03782d62 1206 120474727565',
  ],
  [
    'a parameter of a path',
    { parameters: { p: { in: 'path', name: 'n' } } },
    '5214 0a12 0a0170 120d 120b 2209 12047061746822016e',
  ],
];

for (const [name, document, hex] of cases) {
  test(`gnostic: ${name}`, () => assert.equal(gnosticDocument(document).toString('hex'), hex.replaceAll(' ', '')));
}
