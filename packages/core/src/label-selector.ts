/**
 * Label selectors: parse, print, match.
 *
 * Promises: a text is read as the API server reads it, and refused when it would be refused there; what is printed means
 * the same to the server as it does here, whatever the keys and values. Matching is what a server does: a store filters
 * with the same function by which a watch was asked for, so both see the same objects.
 */
import type { LabelSelector } from './generated/meta/v1.ts';
import { cut, labelValueProblem, qualifiedNameProblem, quoted } from './names.ts';

export type { LabelSelector };

/** `Gt` and `Lt` compare whole numbers; only the text form has them (`generation>3`). */
export type Requirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn' | 'Gt' | 'Lt'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' };

export type Labels = Readonly<Record<string, string>>;

/** What selects by label: equal pairs, requirements, Kubernetes' LabelSelector, or the text that kubectl takes. */
export type LabelSelection = string | Labels | LabelSelector | readonly Requirement[];

/** A label may be called `matchLabels`, but then its value is a string. */
const isLabelSelector = (selection: Labels | LabelSelector): selection is LabelSelector =>
  ['matchLabels', 'matchExpressions'].some(
    (name) => name in selection && typeof (selection as Labels)[name] !== 'string',
  );

/** The requirements of a selection, all of which must hold. Throws a TypeError for what no server would accept. */
export function requirementsOf(selection: LabelSelection): readonly Requirement[] {
  if (typeof selection === 'string') return parseLabelSelector(selection);
  if (Array.isArray(selection)) return (selection as readonly Requirement[]).map((each) => checked(each));
  if (!isLabelSelector(selection as Labels | LabelSelector)) return equalities(selection as Labels);
  const { matchLabels, matchExpressions } = selection as LabelSelector;
  return [
    ...equalities(matchLabels ?? {}),
    ...(matchExpressions ?? []).map(({ key, operator, values }) => expression(key, operator, values ?? [])),
  ];
}

const equalities = (labels: Labels): Requirement[] =>
  Object.entries(labels).map(([key, value]) => checked({ key, operator: 'In', values: [value] }));

function expression(key: string, operator: string, values: readonly string[]): Requirement {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return checked({ key, operator, values });
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw new TypeError(`label selector: ${operator} on "${key}" takes no values`);
      return checked({ key, operator });
    default:
      throw new TypeError(`label selector: "${operator}" on "${key}" is not one of In, NotIn, Exists, DoesNotExist`);
  }
}

type WithValues = Extract<Requirement, { readonly values: readonly string[] }>;

const hasValues = (wanted: Requirement): wanted is WithValues =>
  wanted.operator !== 'Exists' && wanted.operator !== 'DoesNotExist';

/** Whatever passes can be printed: a value such as `a,b=c` would otherwise become a requirement of its own. */
function checked(wanted: Requirement, tokens?: Tokens): Requirement {
  const { key, operator } = wanted;
  const refuse = (why: string) => new TypeError(`label selector${tokens ? ` ${tokens.shown}` : ''}: ${why}`);
  const problem = qualifiedNameProblem(key);
  if (problem !== undefined) throw refuse(`${quoted(key)} is not a label key: ${problem}`);
  if (!hasValues(wanted)) return wanted;
  const { values } = wanted;
  if (values.length === 0) throw refuse(`${operator} on "${key}" needs at least one value`);
  for (const value of values) {
    const refusal = labelValueProblem(value);
    if (refusal !== undefined) {
      throw refuse(`${quoted(value)} on "${key}" is not a label value: ${refusal}`);
    }
  }
  if ((operator === 'Gt' || operator === 'Lt') && (values.length > 1 || integerOf(values[0]) === undefined)) {
    throw refuse(`${operator} on "${key}" needs one whole number of 64 bits`);
  }
  return wanted;
}

export function matchesLabels(requirements: readonly Requirement[], labels: Labels | undefined): boolean {
  return requirements.every((wanted) => {
    const value = labels !== undefined && Object.hasOwn(labels, wanted.key) ? labels[wanted.key] : undefined;
    switch (wanted.operator) {
      case 'In':
        return value !== undefined && wanted.values.includes(value);
      case 'NotIn':
        return value === undefined || !wanted.values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'Gt':
      case 'Lt': {
        const [has, bound] = [integerOf(value), integerOf(wanted.values[0])];
        if (has === undefined || bound === undefined) return false;
        return wanted.operator === 'Gt' ? has > bound : has < bound;
      }
      default:
        return wanted satisfies never;
    }
  });
}

/** A label value has no sign. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const operators = { In: '=', NotIn: '!=', Gt: '>', Lt: '<' } as const;

/** The text form, as a `labelSelector` parameter carries it. */
export function printLabelSelector(requirements: readonly Requirement[]): string {
  return requirements
    .map((wanted) => {
      if (!hasValues(wanted)) return wanted.operator === 'Exists' ? wanted.key : `!${wanted.key}`;
      const { key, operator, values } = wanted;
      if (values.length === 1) return `${key}${operators[operator]}${values[0]}`;
      return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
    })
    .join(',');
}

/** Reads the text form: `a=b,c!=d,e in (f,g),h,!i`. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  if (tokens.next === undefined) return requirements;
  do requirements.push(requirement(tokens));
  while (tokens.takes(','));
  if (tokens.next !== undefined) throw tokens.expected("',' or the end");
  return requirements;
}

function requirement(tokens: Tokens): Requirement {
  if (tokens.takes('!')) return checked({ key: tokens.word("a label's key"), operator: 'DoesNotExist' }, tokens);
  const key = tokens.word("'!' or a label's key");
  if (tokens.next === undefined || tokens.next === ',') return checked({ key, operator: 'Exists' }, tokens);
  if (tokens.takes('=') || tokens.takes('=='))
    return checked({ key, operator: 'In', values: [oneValue(tokens)] }, tokens);
  if (tokens.takes('!=')) return checked({ key, operator: 'NotIn', values: [oneValue(tokens)] }, tokens);
  if (tokens.takes('>')) return checked({ key, operator: 'Gt', values: [oneValue(tokens)] }, tokens);
  if (tokens.takes('<')) return checked({ key, operator: 'Lt', values: [oneValue(tokens)] }, tokens);
  if (tokens.takes('in')) return checked({ key, operator: 'In', values: valueSet(tokens) }, tokens);
  if (tokens.takes('notin')) return checked({ key, operator: 'NotIn', values: valueSet(tokens) }, tokens);
  throw tokens.expected("'=', '!=', 'in', 'notin', '>', '<', ',' or the end");
}

function oneValue(tokens: Tokens): string {
  return tokens.next === undefined || tokens.next === ',' ? '' : tokens.word("a label's value");
}

/** Also `()` and `(,)`: where a value is missing, it is the empty one. */
function valueSet(tokens: Tokens): readonly string[] {
  if (!tokens.takes('(')) throw tokens.expected("'('");
  const found = new Set<string>();
  do found.add(tokens.next === ',' || tokens.next === ')' ? '' : tokens.word("a label's value, ',' or ')'"));
  while (tokens.takes(','));
  if (!tokens.takes(')')) throw tokens.expected("',' or ')'");
  return [...found];
}

const symbol = /^(?:==|!=|[=!(),<>])$/;

/** The words and symbols of a selector, read one at a time; `in` and `notin` are words like others, except after a key. */
class Tokens {
  readonly #text: string;
  readonly #pattern = /==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g;
  #found: RegExpExecArray | null;

  constructor(text: string) {
    this.#text = text;
    this.#found = this.#pattern.exec(text);
  }

  /** The whole text, for messages. */
  get shown(): string {
    return quoted(this.#text);
  }

  get next(): string | undefined {
    return this.#found?.[0];
  }

  takes(token: string): boolean {
    if (this.next !== token) return false;
    this.#advance();
    return true;
  }

  word(expected: string): string {
    const { next } = this;
    if (next === undefined || symbol.test(next)) throw this.expected(expected);
    this.#advance();
    return next;
  }

  expected(what: string): TypeError {
    const found = this.#found;
    const there = found === null ? 'the text ends' : `there is ${cut(`'${found[0]}'`)} at character ${found.index + 1}`;
    return new TypeError(`label selector ${this.shown}: expected ${what}, and ${there}`);
  }

  #advance(): void {
    if (this.#found) this.#found = this.#pattern.exec(this.#text);
  }
}
