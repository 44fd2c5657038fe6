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

/** Labels, or pairs that labels must equal. */
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
function checked(wanted: Requirement, text?: string): Requirement {
  const { key, operator } = wanted;
  assertKey(key, text);
  if (!hasValues(wanted)) return wanted;
  const { values } = wanted;
  if (values.length === 0) throw new TypeError(`label selector: ${operator} on "${key}" needs at least one value`);
  if (needsNumber(wanted) || values.some((value) => labelValueProblem(value) !== undefined)) {
    throw new LabelSelectorError({ type: 'values', ...wanted, needsNumber: needsNumber(wanted) }, text);
  }
  return wanted;
}

function assertKey(key: string, text?: string): void {
  if (qualifiedNameProblem(key) !== undefined) throw new LabelSelectorError({ type: 'key', key }, text);
}

/** Whether labels meet all requirements. An absent label meets `NotIn` and `DoesNotExist`. */
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

/** `Gt` and `Lt` compare with one whole number. */
const needsNumber = ({ operator, values }: WithValues): boolean =>
  (operator === 'Gt' || operator === 'Lt') && (values.length > 1 || integerOf(values[0]) === undefined);

/** As Go reads one: of 64 bits, with a sign if it likes. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,100}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
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

/** What stands at some place of a selector's text, by what a server's grammar wants there. */
type Position = keyof typeof wants;

const wants = {
  start: "'!' or a label's key",
  afterComma: "'!' or a label's key",
  key: "a label's key",
  operator: "'=', '!=', 'in', 'notin', '>', '<', ',' or the end",
  value: "a label's value",
  list: "'('",
  item: "a label's value, ',' or ')'",
  afterItem: "',' or ')'",
  afterRequirement: "',' or the end",
} as const;

/** What is wrong with a selector, for those who have words of their own for it. */
export type LabelSelectorProblem =
  /** `found` is empty where the text ends. */
  | { readonly type: 'unexpected'; readonly place: Position; readonly found: string; readonly index: number }
  | { readonly type: 'key'; readonly key: string }
  /** Some of these are no values of labels, or there is no whole number where one is needed, or both. */
  | ({ readonly type: 'values'; readonly needsNumber: boolean } & WithValues);

/** A selector that a server would refuse; `problem` says why, `message` for people. */
export class LabelSelectorError extends TypeError {
  readonly code = 'ERR_LABEL_SELECTOR';
  readonly problem: LabelSelectorProblem;

  constructor(problem: LabelSelectorProblem, text?: string) {
    super(`label selector${text === undefined ? '' : ` ${quoted(text)}`}: ${printProblem(problem)}`);
    this.problem = problem;
  }
}

function printProblem(problem: LabelSelectorProblem): string {
  switch (problem.type) {
    case 'unexpected': {
      const { place, found, index } = problem;
      const there = found === '' ? 'the text ends' : `there is ${cut(`'${found}'`)} at character ${index + 1}`;
      return `expected ${wants[place]}, and ${there}`;
    }
    case 'key':
      return `${quoted(problem.key)} is not a label key: ${qualifiedNameProblem(problem.key)}`;
    case 'values': {
      if (problem.needsNumber) return `${problem.operator} on "${problem.key}" needs one whole number of 64 bits`;
      const wrong = problem.values.find((value) => labelValueProblem(value) !== undefined) ?? '';
      return `${quoted(wrong)} on "${problem.key}" is not a label value: ${labelValueProblem(wrong)}`;
    }
    default:
      return problem satisfies never;
  }
}

/** Reads the text form: `a=b,c!=d,e in (f,g),h,!i`. Throws a `LabelSelectorError` for what a server would refuse. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  if (tokens.next === undefined) return requirements;
  do requirements.push(requirement(tokens, requirements.length === 0 ? 'start' : 'afterComma'));
  while (tokens.takes(','));
  if (tokens.next !== undefined) throw tokens.unexpected('afterRequirement');
  return requirements;
}

function requirement(tokens: Tokens, place: Position): Requirement {
  const { text } = tokens;
  const isAbsent = tokens.takes('!');
  const key = tokens.word(isAbsent ? 'key' : place);
  assertKey(key, text);
  if (isAbsent) return { key, operator: 'DoesNotExist' };
  if (tokens.next === undefined || tokens.next === ',') return { key, operator: 'Exists' };
  if (tokens.takes('=') || tokens.takes('=='))
    return checked({ key, operator: 'In', values: [oneValue(tokens)] }, text);
  if (tokens.takes('!=')) return checked({ key, operator: 'NotIn', values: [oneValue(tokens)] }, text);
  if (tokens.takes('>')) return checked({ key, operator: 'Gt', values: [oneValue(tokens)] }, text);
  if (tokens.takes('<')) return checked({ key, operator: 'Lt', values: [oneValue(tokens)] }, text);
  if (tokens.takes('in')) return checked({ key, operator: 'In', values: valueSet(tokens) }, text);
  if (tokens.takes('notin')) return checked({ key, operator: 'NotIn', values: valueSet(tokens) }, text);
  throw tokens.unexpected('operator');
}

function oneValue(tokens: Tokens): string {
  return tokens.next === undefined || tokens.next === ',' ? '' : tokens.word('value');
}

/** Also `()` and `(,)`: where a value is missing, it is the empty one. */
function valueSet(tokens: Tokens): readonly string[] {
  if (!tokens.takes('(')) throw tokens.unexpected('list');
  const found = new Set<string>();
  do found.add(tokens.next === ',' || tokens.next === ')' ? '' : tokens.word('item'));
  while (tokens.takes(','));
  if (!tokens.takes(')')) throw tokens.unexpected('afterItem');
  return [...found];
}

const symbol = /^(?:==|!=|[=!(),<>])$/;

/** The words and symbols of a selector, read one at a time; `in` and `notin` are words like others, except after a key. */
class Tokens {
  readonly text: string;
  readonly #pattern = /==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g;
  #found: RegExpExecArray | null;

  constructor(text: string) {
    this.text = text;
    this.#found = this.#pattern.exec(text);
  }

  get next(): string | undefined {
    return this.#found?.[0];
  }

  takes(token: string): boolean {
    if (this.next !== token) return false;
    this.#advance();
    return true;
  }

  word(place: Position): string {
    const { next } = this;
    if (next === undefined || symbol.test(next)) throw this.unexpected(place);
    this.#advance();
    return next;
  }

  unexpected(place: Position): LabelSelectorError {
    const found = this.#found?.[0] ?? '';
    const index = this.#found?.index ?? this.text.length;
    return new LabelSelectorError({ type: 'unexpected', place, found, index }, this.text);
  }

  #advance(): void {
    if (this.#found) this.#found = this.#pattern.exec(this.text);
  }
}
