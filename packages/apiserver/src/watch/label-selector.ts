import { labelValueProblems, qualifiedNameProblems } from '@keelson/schema/validation';

/**
 * Label selectors as the server reads them: the same grammar as kubectl's, with the server's complaints, and with the
 * comparisons `>` and `<` that nobody else uses.
 */

type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** What is wrong with a selector, in the server's words. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

interface Token {
  readonly type: 'identifier' | 'in' | 'notin' | '!' | '=' | '==' | '!=' | '>' | '<' | '(' | ')' | ',' | 'end';
  readonly text: string;
}

const symbols = ['==', '!=', '=', '!', '>', '<', '(', ')', ','] as const;

function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/[ \t\r\n]/.test(text[at] ?? '')) {
      at += 1;
      continue;
    }
    const symbol = symbols.find((each) => text.startsWith(each, at));
    if (symbol !== undefined) {
      found.push({ type: symbol, text: symbol });
      at += symbol.length;
      continue;
    }
    const [word = ''] = /^[^ \t\r\n=!(),<>]+/.exec(text.slice(at)) ?? [];
    found.push({ type: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    at += word.length;
  }
  return found;
}

const end: Token = { type: 'end', text: '' };

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokens(text);
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const { type, text } = this.#peek();
      if (type === 'end') return requirements;
      if (type !== 'identifier' && type !== '!') {
        throw new SelectorError(`found '${text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.type === 'end') return requirements;
      if (next.type !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.type !== 'identifier' && after.type !== '!') {
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  /** After a key, `in` and `notin` are operators; anywhere else they are words like others. */
  #peek(asOperator = false): Token {
    const token = this.#tokens[this.#at] ?? end;
    return !asOperator && (token.type === 'in' || token.type === 'notin') ? { ...token, type: 'identifier' } : token;
  }

  #take(asOperator = false): Token {
    const token = this.#peek(asOperator);
    this.#at += 1;
    return token;
  }

  #requirement(): Requirement {
    const refuse = (why: string) => new SelectorError(`unable to parse requirement: ${why}`);
    const isAbsent = this.#peek().type === '!';
    if (isAbsent) this.#take();
    const name = this.#take();
    if (name.type !== 'identifier') throw refuse(`found '${name.text}', expected: identifier`);
    const key = name.text;
    const [problem] = qualifiedNameProblems(key);
    if (problem !== undefined) throw refuse(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    if (isAbsent) return { key, operator: '!', values: [] };
    const following = this.#peek(true);
    if (following.type === 'end' || following.type === ',') return { key, operator: 'exists', values: [] };
    const { type, text } = this.#take(true);
    switch (type) {
      case 'in':
      case 'notin':
        return checked({ key, operator: type, values: this.#values(refuse) }, refuse);
      case '=':
      case '==':
        return checked({ key, operator: 'in', values: [this.#value(refuse)] }, refuse);
      case '!=':
        return checked({ key, operator: 'notin', values: [this.#value(refuse)] }, refuse);
      case '>':
      case '<':
        return checked({ key, operator: type === '>' ? 'gt' : 'lt', values: [this.#value(refuse)] }, refuse);
      default:
        throw refuse(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #value(refuse: (why: string) => Error): string {
    const { type } = this.#peek();
    if (type === 'end' || type === ',') return '';
    const token = this.#take();
    if (token.type !== 'identifier') throw refuse(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #values(refuse: (why: string) => Error): readonly string[] {
    const open = this.#take();
    if (open.type !== '(') throw refuse(`found '${open.text}' expected: '('`);
    // A value that is missing is the empty one, also the only one: `()`.
    const values = new Set<string>();
    for (;;) {
      const { type } = this.#peek();
      values.add(type === ',' || type === ')' ? '' : this.#listed(refuse));
      const next = this.#take();
      if (next.type === ')') return [...values].sort();
      if (next.type !== ',') throw refuse(`found '${next.text}', expected: ',' or ')'`);
    }
  }

  #listed(refuse: (why: string) => Error): string {
    const token = this.#take();
    if (token.type !== 'identifier') throw refuse(`found '${token.text}', expected: ',', ')' or identifier`);
    return token.text;
  }
}

function checked(requirement: Requirement, refuse: (why: string) => Error): Requirement {
  const { key, operator, values } = requirement;
  if ((operator === 'gt' || operator === 'lt') && integerOf(values[0]) === undefined) {
    throw refuse(
      `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  values.forEach((value, index) => {
    const [problem] = labelValueProblems(value);
    if (problem === undefined) return;
    throw refuse(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
  });
  return requirement;
}

/** Compiles a selector; `undefined` for one that selects everything. */
export function labelMatcher(text: string): ((labels: Labels | undefined) => boolean) | undefined {
  const requirements = new Parser(text).parse();
  if (requirements.length === 0) return undefined;
  return (labels = {}) =>
    requirements.every((each) => holds(each, Object.hasOwn(labels, each.key) ? labels[each.key] : undefined));
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      const [has, bound] = [integerOf(value), integerOf(values[0])];
      if (has === undefined || bound === undefined) return false;
      return operator === 'gt' ? has > bound : has < bound;
    }
    default:
      return operator satisfies never;
  }
}

/** A whole number of 64 bits. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
