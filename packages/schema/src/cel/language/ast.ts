/** Expressions of CEL after parsing. Macros are already expanded into comprehensions. */

/** `at` is where the operator, or else the first character, stands. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

interface Literal {
  readonly kind: 'literal';
  readonly at: number;
  readonly value: LiteralValue;
}

/** Whole numbers are bigint, unsigned ones wrapped; doubles are numbers. */
export type LiteralValue = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

interface Ident {
  readonly kind: 'ident';
  readonly at: number;
  readonly name: string;
}

/** `operand.field`, and `has(operand.field)`. */
export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly isTest: boolean;
}

/** A function, a method or an operator with its arguments. */
export interface Call {
  readonly kind: 'call';
  readonly at: number;
  /** Operators have names like `_+_`. */
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** `[a, b]`. */
export interface ListExpr {
  readonly kind: 'list';
  readonly at: number;
  readonly elements: readonly { readonly value: Expr; readonly isOptional: boolean }[];
}

/** `{a: b}`. */
export interface MapExpr {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly isOptional: boolean }[];
}

/** `Name{field: value}`; what expressions can make so is up to their environment. */
export interface StructExpr {
  readonly kind: 'struct';
  readonly at: number;
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** One `field: value` of it, and where the colon stands. */
export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

/** A loop over a range, with one variable (items, or keys) or two (index or key, and value). */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly at: number;
  readonly range: Expr;
  readonly variable: string;
  readonly second: string | undefined;
  /** The variable in which the result is gathered, which an expression cannot name unless it is its own. */
  readonly gathers: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Where macros gather their result. */
export const accumulator = '@result';
