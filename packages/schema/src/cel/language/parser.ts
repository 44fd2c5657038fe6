/**
 * Text to expression, after CEL's grammar.
 *
 * Promises: what the API server accepts is accepted, and nothing else. What is wrong is told in its words in the usual
 * cases; after a syntax error it goes on and finds more than is found here.
 */
import type { Call, Expr, ListExpr, MapExpr, StructField } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { type Parsed, parseDouble, parseInt64, parseUint64, unquote, unquoteBytes } from './literals.ts';
import { expandMacro } from './macros.ts';
import type { Issue, Source } from './source.ts';

class SyntaxProblem extends Error {}

const maxDepth = 250;

/** Undefined when there are issues. */
export function parse(source: Source, issues: Issue[]): Expr | undefined {
  const parser = new Parser(tokenize(source, issues), issues);
  try {
    const expr = parser.whole();
    return issues.length === 0 ? expr : undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

const notNames = new Set(['in', 'true', 'false', 'null']);

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  whole(): Expr {
    const expr = this.#expr();
    const token = this.#peek();
    if (token.kind !== 'end') {
      const isLast = this.#tokens[this.#next + 1]?.kind === 'end';
      this.#fail(token, isLast ? `extraneous input '${token.text}' expecting <EOF>` : mismatched(token, '<EOF>'));
    }
    return expr;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#peek();
    return found === text && (kind === 'operator' || (kind === 'identifier' && notNames.has(text)));
  }

  #accept(...texts: readonly string[]): Token | undefined {
    return texts.some((text) => this.#is(text)) ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#peek();
    const accepted = this.#accept(text);
    if (accepted !== undefined) return accepted;
    // The server's parser tries to do without one token, and then with one more.
    if (this.#tokens[this.#next + 1]?.text === text) {
      return this.#fail(token, `extraneous input '${token.text}' expecting '${text}'`);
    }
    const canFollow = token.kind === 'end' || (token.kind === 'operator' && !'({!'.includes(token.text));
    return this.#fail(
      token,
      canFollow && text !== ':' ? `missing '${text}' at '${token.text}'` : mismatched(token, `'${text}'`),
    );
  }

  #fail(token: Token, message: string): never {
    this.#issues.push({ at: token.at, message: `Syntax error: ${message}` });
    throw new SyntaxProblem();
  }

  #report(at: number, message: string): void {
    this.#issues.push({ at, message });
  }

  #expr(): Expr {
    this.#depth++;
    if (this.#depth > maxDepth) {
      this.#report(0, `Internal error: expression recursion limit exceeded: ${maxDepth}`);
      throw new SyntaxProblem();
    }
    const condition = this.#logical('||', () => this.#logical('&&', () => this.#relation()));
    const question = this.#accept('?');
    if (question === undefined) {
      this.#depth--;
      return condition;
    }
    const yes = this.#logical('||', () => this.#logical('&&', () => this.#relation()));
    this.#expect(':');
    const no = this.#expr();
    this.#depth--;
    return globalCall(question.at, '_?_:_', condition, yes, no);
  }

  /** A chain of terms becomes a balanced tree, so that long ones are not deep. */
  #logical(operator: '&&' | '||', term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let token = this.#accept(operator); token !== undefined; token = this.#accept(operator)) {
      places.push(token.at);
      terms.push(term());
    }
    const tree = (from: number, to: number): Expr => {
      const middle = Math.floor((from + to + 1) / 2);
      const left = middle === from ? terms[middle] : tree(from, middle - 1);
      const right = middle === to ? terms[middle + 1] : tree(middle + 1, to);
      return globalCall(places[middle] ?? 0, `_${operator}_`, left as Expr, right as Expr);
    };
    return places.length === 0 ? (terms[0] as Expr) : tree(0, places.length - 1);
  }

  #relation(): Expr {
    return this.#binary(['<', '<=', '>=', '>', '==', '!=', 'in'], () =>
      this.#binary(['+', '-'], () => this.#binary(['*', '/', '%'], () => this.#unary())),
    );
  }

  #binary(operators: readonly string[], term: () => Expr): Expr {
    let left = term();
    for (let token = this.#accept(...operators); token !== undefined; token = this.#accept(...operators)) {
      left = globalCall(token.at, token.text === 'in' ? '@in' : `_${token.text}_`, left, term());
    }
    return left;
  }

  #unary(): Expr {
    const first = this.#peek();
    const after = this.#tokens[this.#next + 1];
    if (first.text === '!' && first.kind === 'operator') return this.#repeated('!');
    // A minus before a number belongs to the number.
    if (this.#is('-') && after?.kind !== 'int' && after?.kind !== 'float') return this.#repeated('-');
    return this.#member();
  }

  #repeated(operator: '!' | '-'): Expr {
    const first = this.#peek();
    let count = 0;
    while (this.#accept(operator) !== undefined) count++;
    const value = this.#member();
    return count % 2 === 0 ? value : globalCall(first.at, `${operator}_`, value);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const dot = this.#accept('.');
      if (dot !== undefined) expr = this.#selection(expr, dot);
      const bracket = dot === undefined ? this.#accept('[') : undefined;
      if (bracket !== undefined) {
        const isOptional = this.#accept('?') !== undefined;
        const index = this.#expr();
        this.#expect(']');
        expr = globalCall(bracket.at, isOptional ? '_[?_]' : '_[_]', expr, index);
      }
      if (dot === undefined && bracket === undefined) return expr;
    }
  }

  #selection(operand: Expr, dot: Token): Expr {
    const isOptional = this.#accept('?') !== undefined;
    const name = this.#peek();
    if (name.kind === 'escaped') {
      this.#take();
      this.#report(name.at, "unsupported syntax: '`'");
      return operand;
    }
    if (name.kind !== 'identifier' || notNames.has(name.text)) {
      this.#fail(name, `no viable alternative at input '.${name.kind === 'end' ? '' : name.text}'`);
    }
    this.#take();
    if (isOptional) {
      return globalCall(dot.at, '_?._', operand, { kind: 'literal', at: name.at, value: name.text });
    }
    const open = this.#accept('(');
    if (open === undefined) return { kind: 'select', at: dot.at, operand, field: name.text, isTest: false };
    return this.#expanded({ kind: 'call', at: open.at, name: name.text, target: operand, args: this.#args() });
  }

  #args(): readonly Expr[] {
    const args: Expr[] = [];
    if (this.#accept(')') !== undefined) return args;
    do args.push(this.#expr());
    while (this.#accept(',') !== undefined);
    this.#expect(')');
    return args;
  }

  #expanded(call: Call): Expr {
    const expansion = expandMacro(call);
    if (expansion === undefined) return call;
    if ('kind' in expansion) return expansion;
    this.#report(expansion.at, expansion.problem);
    return call;
  }

  #primary(): Expr {
    const token = this.#peek();
    if (this.#accept('(') !== undefined) {
      const expr = this.#expr();
      this.#expect(')');
      return expr;
    }
    if (this.#accept('[') !== undefined) return this.#list(token.at);
    if (this.#accept('{') !== undefined) return this.#map(token.at);
    const isName = token.kind === 'identifier' && !notNames.has(token.text);
    return isName || this.#is('.') ? this.#name() : this.#literal();
  }

  #list(at: number): ListExpr {
    const elements: { value: Expr; isOptional: boolean }[] = [];
    while (this.#accept(']') === undefined) {
      elements.push({ isOptional: this.#accept('?') !== undefined, value: this.#expr() });
      if (this.#accept(',') !== undefined) continue;
      this.#expect(']');
      break;
    }
    return { kind: 'list', at, elements };
  }

  #map(at: number): MapExpr {
    const entries: { key: Expr; value: Expr; isOptional: boolean }[] = [];
    while (this.#accept('}') === undefined) {
      const isOptional = this.#accept('?') !== undefined;
      const key = this.#expr();
      this.#expect(':');
      entries.push({ isOptional, key, value: this.#expr() });
      if (this.#accept(',') !== undefined) continue;
      this.#expect('}');
      break;
    }
    return { kind: 'map', at, entries };
  }

  #name(): Expr {
    const dot = this.#accept('.');
    const token = this.#peek();
    if (token.kind !== 'identifier' || notNames.has(token.text)) this.#fail(token, mismatched(token, 'IDENTIFIER'));
    this.#take();
    if (this.#isStruct()) return this.#struct(token.text);
    if (reserved.has(token.text)) this.#report(token.at, `reserved identifier: ${token.text}`);
    const name = dot === undefined ? token.text : `.${token.text}`;
    const open = this.#accept('(');
    if (open === undefined) return { kind: 'ident', at: token.at, name };
    return this.#expanded({ kind: 'call', at: open.at, name, target: undefined, args: this.#args() });
  }

  /** `a.b.C{`: names with dots, and a brace. */
  #isStruct(): boolean {
    let i = this.#next;
    while (this.#tokens[i]?.text === '.' && this.#tokens[i + 1]?.kind === 'identifier') i += 2;
    return this.#tokens[i]?.text === '{' && this.#tokens[i]?.kind === 'operator';
  }

  #struct(first: string): Expr {
    let name = first;
    while (this.#accept('.') !== undefined) name += `.${this.#take().text}`;
    const { at } = this.#expect('{');
    return { kind: 'struct', at, name, fields: this.#structFields() };
  }

  #structFields(): readonly StructField[] {
    const fields: StructField[] = [];
    while (this.#accept('}') === undefined) {
      const isOptional = this.#accept('?') !== undefined;
      const field = this.#take();
      if (field.kind !== 'identifier') this.#fail(field, mismatched(field, 'IDENTIFIER'));
      const { at } = this.#expect(':');
      fields.push({ at, name: field.text, value: this.#expr(), isOptional });
      if (this.#accept(',') !== undefined) continue;
      this.#expect('}');
      break;
    }
    return fields;
  }

  #literal(): Expr {
    const sign = this.#accept('-');
    const token = this.#take();
    const at = sign?.at ?? token.at;
    const text = (sign?.text ?? '') + token.text;
    const value = <T extends string | bigint | number | Uint8Array>(parsed: Parsed<T>, none: T): T => {
      if (typeof parsed !== 'object' || parsed instanceof Uint8Array) return parsed as T;
      this.#report(at, (parsed as { readonly problem: string }).problem);
      return none;
    };
    switch (sign === undefined || token.kind === 'int' || token.kind === 'float' ? token.kind : 'end') {
      case 'int':
        return { kind: 'literal', at, value: value(parseInt64(text), 0n) };
      case 'uint':
        return { kind: 'literal', at, value: { uint: value(parseUint64(text), 0n) } };
      case 'float':
        return { kind: 'literal', at, value: value(parseDouble(text), 0) };
      case 'string':
        return { kind: 'literal', at, value: value(unquote(text), '') };
      case 'bytes':
        return { kind: 'literal', at, value: value(unquoteBytes(text), new Uint8Array()) };
      case 'identifier':
        if (text !== 'in') return { kind: 'literal', at, value: text === 'null' ? null : text === 'true' };
        break;
    }
    return this.#fail(token, mismatched(token, operand));
  }
}

function globalCall(at: number, name: string, ...args: readonly Expr[]): Call {
  return { kind: 'call', at, name, target: undefined, args };
}

function mismatched(token: Token, expected: string): string {
  return `mismatched input '${token.text}' expecting ${expected}`;
}
