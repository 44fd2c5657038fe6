/**
 * What zod schemas become in a CRD, and values that tell whether it means the same.
 *
 * Read by two suites: beside the source, zod must agree with each verdict; in `e2e`, a real API server must.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

export interface Expressed {
  readonly what: string;
  readonly schema: z.ZodType;
  readonly expected: JSONSchemaProps;
  readonly accepts?: readonly unknown[];
  readonly refuses?: readonly unknown[];
}

const docs = { url: 'https://example.com/docs', description: 'All about it.' };
const rules = [rule("self != 'x'", { message: 'not x' })];

const strings: readonly Expressed[] = [
  { what: 'a string', schema: z.string(), expected: { type: 'string' }, accepts: ['', 'a'], refuses: [1, true, {}] },
  {
    what: 'lengths',
    schema: z.string().min(1).min(2).max(9).max(8),
    expected: { type: 'string', minLength: 2, maxLength: 8 },
    accepts: ['ab', 'abcdefgh'],
    refuses: ['a', 'abcdefghi'],
  },
  {
    what: 'an exact length',
    schema: z.string().length(3),
    expected: { type: 'string', minLength: 3, maxLength: 3 },
    accepts: ['abc'],
    refuses: ['ab', 'abcd'],
  },
  {
    what: 'a pattern',
    schema: z.string().regex(/^a\/b$/i),
    expected: { type: 'string', pattern: '(?i)^a/b$' },
    accepts: ['A/b'],
    refuses: ['ab', 'a/b\n'],
  },
  {
    what: 'a pattern of much that differs in RE2',
    schema: z.string().regex(new RegExp(['^(?<first>[[é\\u{1F600}-\\u{1F64F}]+)', '\\p{Lu}{2,}[^]$'].join('/'), 'u')),
    expected: { type: 'string', pattern: '^(?P<first>[\\[é\\x{1f600}-\\x{1f64f}]+)/\\p{Lu}{2,}(?s:.)$' },
    accepts: ['é/ÄB!', '😀[/AB\n'],
    refuses: ['e/AB!', 'é/A!'],
  },
  {
    what: 'several patterns',
    schema: z.string().regex(/a/).startsWith('b.').endsWith('c').includes('d').lowercase(),
    expected: {
      type: 'string',
      pattern: 'a',
      allOf: [{ pattern: '^b\\..*' }, { pattern: '.*c$' }, { pattern: 'd' }, { pattern: '^[^A-Z]*$' }],
    },
    accepts: ['b.adc'],
    refuses: ['b.dc', 'bxadc', 'b.ad', 'b.ac', 'b.adXc'],
  },
  {
    what: 'a date-time',
    schema: z.iso.datetime(),
    expected: { type: 'string', format: 'date-time' },
    accepts: ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.5Z'],
    refuses: ['2026-01-31', 'soon'],
  },
  {
    what: 'a date-time with an offset',
    schema: z.iso.datetime({ offset: true }),
    expected: { type: 'string', format: 'date-time' },
    accepts: ['2026-01-31T10:00:00+02:00'],
    refuses: ['2026-01-31T10:00'],
  },
  {
    what: 'a date-time of the author’s precision',
    schema: z.iso.datetime({ precision: 0 }).max(20),
    expected: {
      type: 'string',
      maxLength: 20,
      pattern: z.core.regexes.datetime({ precision: 0 }).source,
    },
    accepts: ['2026-01-31T10:00:00Z'],
    refuses: ['2026-01-31T10:00:00.5Z', '2026-02-30T10:00:00Z'],
  },
  {
    what: 'a date',
    schema: z.iso.date(),
    expected: { type: 'string', format: 'date' },
    accepts: ['2026-01-31'],
    refuses: ['2026-02-30', '31.1.2026'],
  },
  {
    what: 'a UUID',
    schema: z.uuid(),
    expected: { type: 'string', format: 'uuid' },
    accepts: ['4fd0a3f5-2b1c-4c8e-9d3f-0123456789ab'],
    refuses: ['4fd0a3f5'],
  },
  {
    what: 'a UUID of a version with a format',
    schema: z.uuidv4(),
    expected: { type: 'string', format: 'uuid4' },
    accepts: ['4fd0a3f5-2b1c-4c8e-9d3f-0123456789ab'],
    refuses: ['4fd0a3f5-2b1c-7c8e-9d3f-0123456789ab'],
  },
  {
    what: 'a UUID of a version without a format',
    schema: z.uuidv7(),
    expected: { type: 'string', pattern: z.core.regexes.uuid(7).source },
    accepts: ['4fd0a3f5-2b1c-7c8e-9d3f-0123456789ab'],
    refuses: ['4fd0a3f5-2b1c-4c8e-9d3f-0123456789ab'],
  },
  {
    what: 'an e-mail address',
    schema: z.email(),
    expected: { type: 'string', format: 'email' },
    accepts: ['ada@example.com'],
    refuses: ['ada', '@example.com'],
  },
  {
    what: 'an e-mail address by a pattern',
    schema: z.email({ pattern: /@example\.com$/ }),
    expected: { type: 'string', pattern: '@example\\.com$' },
    accepts: ['ada@example.com'],
    refuses: ['ada@example.org'],
  },
  {
    what: 'a URL',
    schema: z.url(),
    expected: { type: 'string', format: 'uri', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' },
    accepts: ['https://example.com/a?b=c'],
    refuses: ['example.com', '/path'],
  },
  {
    what: 'a host name',
    schema: z.hostname(),
    expected: { type: 'string', format: 'hostname' },
    accepts: ['example.com', 'localhost'],
    refuses: ['-a.example.com', 'a b'],
  },
  {
    what: 'an IPv4 address',
    schema: z.ipv4(),
    expected: { type: 'string', format: 'ipv4' },
    accepts: ['10.0.0.1'],
    refuses: ['10.0.0', '::1'],
  },
  {
    what: 'an IPv6 address',
    schema: z.ipv6(),
    expected: { type: 'string', format: 'ipv6' },
    accepts: ['::1', '2001:db8::1'],
    refuses: ['10.0.0.1', ':::'],
  },
  {
    what: 'a range of IPv4 addresses',
    schema: z.cidrv4(),
    expected: { type: 'string', format: 'cidr', pattern: '^[0-9.]+/' },
    accepts: ['10.0.0.0/8'],
    refuses: ['10.0.0.0', '10.0.0.0/33', '2001:db8::/32'],
  },
  {
    what: 'a range of IPv6 addresses',
    schema: z.cidrv6(),
    expected: { type: 'string', format: 'cidr', pattern: ':' },
    accepts: ['2001:db8::/32'],
    refuses: ['10.0.0.0/8', '2001:db8::/129'],
  },
  {
    what: 'base64',
    schema: z.base64(),
    expected: { type: 'string', format: 'byte' },
    accepts: ['YWJj', 'YQ=='],
    refuses: ['%%%', 'YQ='],
  },
  {
    what: 'base64url',
    schema: z.base64url(),
    expected: { type: 'string', pattern: '^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$' },
    accepts: ['YWJj', '_-8'],
    refuses: ['YQ==', 'a+b/'],
  },
  {
    what: 'a MAC address',
    schema: z.mac(),
    expected: { type: 'string', pattern: z.core.regexes.mac().source },
    accepts: ['00:1a:2b:3c:4d:5e'],
    refuses: ['00:1a:2b:3c:4d'],
  },
  {
    what: 'a format by its pattern',
    schema: z.ulid(),
    expected: { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' },
    accepts: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    refuses: ['01ARZ3NDEKTSV4RRFFQ69G5FAU'],
  },
  {
    what: 'a format of the author by its pattern',
    schema: z.stringFormat('tag', /^v\d+$/),
    expected: { type: 'string', pattern: '^v\\d+$' },
    accepts: ['v1'],
    refuses: ['v'],
  },
  {
    what: 'a format of Kubernetes',
    schema: z.string().meta({ format: 'duration' }),
    expected: { type: 'string', format: 'duration' },
    accepts: ['1h30m'],
  },
  {
    what: 'a template',
    schema: z.templateLiteral(['v', z.int()]),
    expected: { type: 'string', pattern: '^v-?\\d+$' },
    accepts: ['v12'],
    refuses: ['v1.2'],
  },
];

const numbers: readonly Expressed[] = [
  { what: 'a number', schema: z.number(), expected: { type: 'number' }, accepts: [1, -1.5], refuses: ['1'] },
  {
    what: 'a float',
    schema: z.float32(),
    expected: { type: 'number', format: 'float' },
    accepts: [1.5],
    refuses: [1e300],
  },
  { what: 'a double', schema: z.float64(), expected: { type: 'number', format: 'double' }, accepts: [1e300] },
  {
    what: 'an integer, without bounds at 2^53',
    schema: z.int(),
    expected: { type: 'integer', format: 'int64' },
    accepts: [0, 3_000_000_000, -(2 ** 53 - 1)],
    refuses: [1.5, 1e300, '1'],
  },
  {
    what: 'a number that is an integer',
    schema: z.number().int(),
    expected: { type: 'integer', format: 'int64' },
    accepts: [1],
    refuses: [1.5],
  },
  {
    what: 'an int32, without its bounds',
    schema: z.int32(),
    expected: { type: 'integer', format: 'int32' },
    accepts: [2 ** 31 - 1, -(2 ** 31)],
    refuses: [2 ** 31, -(2 ** 31) - 1, 1.5],
  },
  {
    what: 'the narrower of two formats',
    schema: z.int32().int(),
    expected: { type: 'integer', format: 'int32' },
    refuses: [2 ** 31],
  },
  {
    what: 'a uint32',
    schema: z.uint32(),
    expected: { type: 'integer', format: 'int64', minimum: 0, maximum: 4294967295 },
    accepts: [0, 2 ** 32 - 1],
    refuses: [-1, 2 ** 32],
  },
  {
    what: 'bounds',
    schema: z.int32().min(1).max(5),
    expected: { type: 'integer', format: 'int32', minimum: 1, maximum: 5 },
    accepts: [1, 5],
    refuses: [0, 6, -1, 1.5, '3'],
  },
  {
    what: 'the tightest of several bounds',
    schema: z.number().min(1).gt(1).lt(5).max(4),
    expected: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 4 },
    accepts: [1.1, 4],
    refuses: [1, 4.5],
  },
  {
    what: 'multiples',
    schema: z.number().multipleOf(2).multipleOf(3),
    expected: { type: 'number', multipleOf: 2, allOf: [{ multipleOf: 3 }] },
    accepts: [6, 0],
    refuses: [2, 3],
  },
  {
    what: 'a boolean',
    schema: z.boolean(),
    expected: { type: 'boolean' },
    accepts: [true, false],
    refuses: ['true', 1],
  },
];

const choices: readonly Expressed[] = [
  {
    what: 'an enum',
    schema: z.enum(['a', 'b']),
    expected: { type: 'string', enum: ['a', 'b'] },
    accepts: ['a'],
    refuses: ['c'],
  },
  {
    what: 'an enum of integers',
    schema: z.enum({ One: 1, Two: 2 }),
    expected: { type: 'integer', enum: [1, 2] },
    accepts: [2],
    refuses: [3, '1'],
  },
  {
    what: 'a literal',
    schema: z.literal(true),
    expected: { type: 'boolean', enum: [true] },
    accepts: [true],
    refuses: [false],
  },
  {
    what: 'numbers',
    schema: z.literal([1, 1.5]),
    expected: { type: 'number', enum: [1, 1.5] },
    accepts: [1, 1.5],
    refuses: [2],
  },
  {
    what: 'a union of literals',
    schema: z.union([z.literal('a'), z.enum(['b', 'a'])]),
    expected: { type: 'string', enum: ['a', 'b'] },
    accepts: ['a', 'b'],
    refuses: ['c'],
  },
  {
    what: 'a union of one type',
    schema: z.union([z.ipv4(), z.ipv6().describe('newer'), z.literal('any')]),
    expected: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }, { enum: ['any'] }] },
    accepts: ['10.0.0.1', '::1', 'any'],
    refuses: ['none'],
  },
  {
    what: 'int or string',
    schema: z.union([z.int(), z.string()]),
    expected: { 'x-kubernetes-int-or-string': true },
    accepts: [1, '1'],
    refuses: [1.5, true, {}],
  },
  {
    what: 'int or string with limits',
    schema: z.union([z.string().regex(/^\d+%$/), z.int32().min(0)]),
    expected: { 'x-kubernetes-int-or-string': true, minimum: 0, maximum: 2147483647, pattern: '^\\d+%$' },
    accepts: [0, '25%'],
    refuses: [-1, '25', 2 ** 31],
  },
  {
    what: 'a discriminated union',
    schema: z.discriminatedUnion('type', [
      z.object({ type: z.literal('File').describe('Where from.'), path: z.string(), mode: z.int32().optional() }),
      z.object({ type: z.enum(['Http', 'Https']), host: z.string(), mode: z.int32().optional() }),
    ]),
    expected: {
      type: 'object',
      properties: {
        type: { type: 'string', description: 'Where from.', enum: ['File', 'Http', 'Https'] },
        path: { type: 'string' },
        mode: { type: 'integer', format: 'int32' },
        host: { type: 'string' },
      },
      required: ['type'],
      anyOf: [
        { properties: { type: { enum: ['File'] }, host: { not: {} } }, required: ['path'] },
        { properties: { type: { enum: ['Http', 'Https'] }, path: { not: {} } }, required: ['host'] },
      ],
    },
    accepts: [
      { type: 'File', path: '/a' },
      { type: 'Https', host: 'a', mode: 1 },
    ],
    refuses: [{ type: 'File' }, { type: 'File', host: 'a' }, { type: 'Ftp', host: 'a' }, { path: '/a' }],
  },
  {
    what: 'a discriminated union whose options exclude the fields of others',
    schema: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('A'), a: z.string().nullable().optional() }),
      z.strictObject({ type: z.literal('B'), b: z.string() }),
      z.strictObject({ type: z.literal('C') }),
    ]),
    expected: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['A', 'B', 'C'] },
        a: { type: 'string', nullable: true },
        b: { type: 'string' },
      },
      required: ['type'],
      anyOf: [
        { properties: { type: { enum: ['A'] }, b: { not: {} } } },
        { properties: { type: { enum: ['B'] }, a: { not: {} } }, required: ['b'] },
        { properties: { type: { enum: ['C'] }, a: { not: {} }, b: { not: {} } } },
      ],
    },
    accepts: [{ type: 'A' }, { type: 'A', a: 'x' }, { type: 'A', a: null }, { type: 'B', b: 'x' }, { type: 'C' }],
    refuses: [
      { type: 'A', b: 'x' },
      { type: 'B', a: 'x', b: 'x' },
      { type: 'C', a: 'x' },
      { type: 'C', b: 'x' },
    ],
  },
  {
    what: 'a discriminated union or null',
    schema: z
      .discriminatedUnion('type', [z.object({ type: z.literal('A') }), z.object({ type: z.literal('B') })])
      .nullable(),
    expected: {
      type: 'object',
      properties: { type: { type: 'string', enum: ['A', 'B'] } },
      required: ['type'],
      anyOf: [{ properties: { type: { enum: ['A'] } } }, { properties: { type: { enum: ['B'] } } }],
      nullable: true,
    },
    accepts: [null, { type: 'A' }],
    refuses: [{ type: 'C' }],
  },
];

const containers: readonly Expressed[] = [
  {
    what: 'a title, an example and further documentation',
    schema: z.string().max(5).meta({ title: 'Name', example: 'web', externalDocs: docs }),
    expected: { type: 'string', maxLength: 5, title: 'Name', example: 'web', externalDocs: docs },
  },
  {
    what: 'a list',
    schema: z.array(z.string()).min(1).max(3),
    expected: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    accepts: [['a'], ['a', 'b', 'c']],
    refuses: [[], ['a', 'b', 'c', 'd'], [1], 'a'],
  },
  {
    what: 'a list by a key',
    schema: z
      .array(z.object({ name: z.string() }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    expected: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    accepts: [[{ name: 'a' }, { name: 'b' }]],
    refuses: [[{}]],
  },
  {
    what: 'a set',
    schema: z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' }),
    expected: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    accepts: [['a', 'b']],
  },
  {
    what: 'a list of values that may be null',
    schema: z.array(z.string().nullable()),
    expected: { type: 'array', items: { type: 'string', nullable: true } },
    accepts: [['a', null]],
    refuses: [[1]],
  },
  {
    what: 'a map',
    schema: z.record(z.string(), z.int32()),
    expected: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
    accepts: [{}, { a: 1 }],
    refuses: [{ a: 'b' }, []],
  },
  {
    what: 'a map with limits',
    schema: z.record(z.string(), z.string()).meta({ minProperties: 1, maxProperties: 2 }),
    expected: { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1, maxProperties: 2 },
    accepts: [{ a: 'b' }],
  },
  {
    what: 'an object',
    schema: z.object({ a: z.string() }),
    expected: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    accepts: [{ a: '' }],
    refuses: [{}, { a: 1 }],
  },
  {
    what: 'an atomic object',
    schema: z.object({ a: z.string().optional() }).meta({ 'x-kubernetes-map-type': 'atomic' }),
    expected: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
    accepts: [{}],
  },
  {
    what: 'a strict object',
    schema: z.strictObject({ a: z.string().optional() }),
    expected: { type: 'object', properties: { a: { type: 'string' } } },
    accepts: [{}, { a: 'b' }],
    refuses: [{ b: 'a' }],
  },
  {
    what: 'a loose object',
    schema: z.looseObject({ a: z.string() }),
    expected: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      'x-kubernetes-preserve-unknown-fields': true,
    },
    accepts: [{ a: 'a', b: { c: [1] } }],
    refuses: [{ b: 1 }],
  },
  {
    what: 'any value, kept',
    schema: z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    expected: { 'x-kubernetes-preserve-unknown-fields': true },
    accepts: [1, 'a', [true], { a: { b: 1 } }],
  },
  {
    what: 'an object of Kubernetes',
    schema: z.looseObject({}).meta({ 'x-kubernetes-embedded-resource': true }),
    expected: {
      type: 'object',
      properties: {},
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-embedded-resource': true,
    },
    accepts: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } }],
  },
];

const absences: readonly Expressed[] = [
  {
    what: 'null',
    schema: z.string().min(1).nullable(),
    expected: { type: 'string', minLength: 1, nullable: true },
    accepts: [null, 'a'],
    refuses: ['', 1],
  },
  {
    what: 'a default',
    schema: z.int32().default(3),
    expected: { type: 'integer', format: 'int32', default: 3 },
    accepts: [1],
  },
  {
    what: 'absent, null and defaulted fields, none of them required',
    schema: z.object({
      a: z.string().optional(),
      b: z.string().default('b'),
      c: z.string().optional().nullable(),
      d: z.string().default('d').optional(),
      e: z.string().optional().default('e'),
      f: z.string().nullish(),
      g: z.string().exactOptional(),
      h: z.enum(['x', 'y']).default('y'),
      i: z.array(z.string()).default(['i']),
      j: z.union([z.int32(), z.string()]).default('25%'),
      k: z.string().nullable().default('k'),
    }),
    expected: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'string', default: 'b' },
        c: { type: 'string', nullable: true },
        d: { type: 'string', default: 'd' },
        e: { type: 'string', default: 'e' },
        f: { type: 'string', nullable: true },
        g: { type: 'string' },
        h: { type: 'string', enum: ['x', 'y'], default: 'y' },
        i: { type: 'array', items: { type: 'string' }, default: ['i'] },
        j: { 'x-kubernetes-int-or-string': true, minimum: -2147483648, maximum: 2147483647, default: '25%' },
        k: { type: 'string', nullable: true, default: 'k' },
      },
    },
    accepts: [{}, { c: null, f: null, k: null }],
  },
  {
    what: 'nested defaults',
    schema: z.object({
      whole: z.object({ mb: z.int32().default(64) }).default({ mb: 32 }),
      filled: z.object({ mb: z.int32().default(64) }).prefault({}),
      items: z.array(z.object({ port: z.int32(), protocol: z.string().default('TCP') })).default([]),
    }),
    expected: {
      type: 'object',
      properties: {
        whole: {
          type: 'object',
          properties: { mb: { type: 'integer', format: 'int32', default: 64 } },
          default: { mb: 32 },
        },
        filled: { type: 'object', properties: { mb: { type: 'integer', format: 'int32', default: 64 } }, default: {} },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { port: { type: 'integer', format: 'int32' }, protocol: { type: 'string', default: 'TCP' } },
            required: ['port'],
          },
          default: [],
        },
      },
    },
    accepts: [{}, { filled: {}, items: [{ port: 80 }] }],
    refuses: [{ items: [{}] }],
  },
];

const texts: readonly Expressed[] = [
  {
    what: 'a description, whatever follows it',
    schema: z.string().describe('early').min(1).optional(),
    expected: { type: 'string', minLength: 1, description: 'early' },
  },
  {
    what: 'the last description',
    schema: z.string().describe('early').optional().describe('late'),
    expected: { type: 'string', description: 'late' },
  },
  {
    what: 'what changes nothing on the wire',
    schema: z.string().readonly().brand('Name'),
    expected: { type: 'string' },
  },
  {
    what: 'a refinement with its twin in CEL',
    schema: z
      .string()
      .refine((text) => text !== 'x')
      .meta({ 'x-kubernetes-validations': rules }),
    expected: { type: 'string', 'x-kubernetes-validations': rules },
    accepts: ['y'],
    refuses: ['x'],
  },
  {
    what: 'the rules of a type and those of the field that has it',
    schema: z
      .string()
      .max(9)
      .meta({ 'x-kubernetes-validations': rules })
      .optional()
      .meta({ 'x-kubernetes-validations': [rule('self.size() < 9')] }),
    expected: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [...rules, { rule: 'self.size() < 9' }] },
    accepts: ['y'],
  },
  {
    what: 'metadata for other tools, which is left out',
    schema: z.string().meta({ id: 'Name', examples: ['a'], deprecated: true }),
    expected: { type: 'string' },
  },
];

export const expressed: readonly Expressed[] = [
  ...strings,
  ...numbers,
  ...choices,
  ...containers,
  ...absences,
  ...texts,
];
