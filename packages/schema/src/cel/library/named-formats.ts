/** Formats by name, whose `validate` tells what is wrong with a text. */
import { formatOf } from '../../formats/formats.ts';
import {
  label1035Problems,
  labelProblems,
  labelValueProblems,
  type NameRule,
  orPrefix,
  qualifiedNameProblems,
  subdomainProblems,
} from '../../metadata/name-rules.ts';
import { goQuote } from '../../wording/go-text.ts';
import { one, perCharacter, perPatternCharacter, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { struct } from '../language/types.ts';
import { Items, OpaqueValue, Optional, sizeOf, type Value } from '../language/values.ts';

class NamedFormat extends OpaqueValue {
  readonly type = struct('kubernetes.NamedFormat');
  readonly name: string;
  readonly rule: NameRule;
  /** For costs, as if every format were a regular expression. */
  readonly patternSize: number;
  constructor(name: string, rule: NameRule, patternSize: number) {
    super();
    this.name = name;
    this.rule = rule;
    this.patternSize = patternSize;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** What may stand before a generated suffix. */
const prefix =
  (rule: NameRule): NameRule =>
  (text) =>
    orPrefix(rule)(text, true);

const ofFormat =
  (name: string, problem: (text: string) => string): NameRule =>
  (text) =>
    formatOf(name)?.(text) ? [] : [problem(text)];

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      ['dns1123Label', labelProblems, 30],
      ['dns1123Subdomain', subdomainProblems, 60],
      ['dns1035Label', label1035Problems, 30],
      ['qualifiedName', qualifiedNameProblems, 60],
      ['dns1123LabelPrefix', prefix(labelProblems), 30],
      ['dns1123SubdomainPrefix', prefix(subdomainProblems), 60],
      ['dns1035LabelPrefix', prefix(label1035Problems), 30],
      ['labelValue', labelValueProblems, 40],
      ['uri', ofFormat('uri', (text) => `parse ${goQuote(text)}: invalid URI for request`), 1103],
      ['uuid', ofFormat('uuid', () => 'does not match the UUID format'), 75],
      ['byte', ofFormat('byte', () => 'invalid base64'), 84],
      ['date', ofFormat('date', () => 'invalid date'), 79],
      ['datetime', ofFormat('datetime', () => 'invalid datetime'), 79],
    ] as const
  ).map(([name, rule, size]) => [name, new NamedFormat(name, rule, size)]),
);

function validate(format: Value, text: Value): Value {
  const problems = (format as NamedFormat).rule(text as string);
  return new Optional(problems.length === 0 ? undefined : new Items(problems));
}

/** The longest of the patterns. */
const maxPatternSize = 128;

/** `format.dns1123Label()` and its like. */
export const namedFormats: Library = [
  ...[...formats].map(([name, format]) => overload(`'format.${name}'(): kubernetes.NamedFormat`, () => format)),
  overload(
    "'format.named'(string): optional<kubernetes.NamedFormat>",
    (name) => new Optional(formats.get(name as string)),
    {
      cost: () => 1,
      estimate: () => ({ cost: one }),
    },
  ),
  overload('kubernetes.NamedFormat.validate(string): optional<list<string>>', validate, {
    cost: ([format, text = null]) =>
      Math.ceil((1 + sizeOf(text)) * perCharacter) *
      Math.ceil((format as NamedFormat).patternSize * perPatternCharacter),
    estimate: (_: Sized, text: Sized) => ({
      cost: scaled(scaled(text.size, perCharacter), maxPatternSize * perPatternCharacter),
    }),
  }),
];
