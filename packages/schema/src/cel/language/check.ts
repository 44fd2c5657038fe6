/** Types of an expression and its parts, and which overloads its calls may mean. */
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from './ast.ts';
import type { Constructible, Environment, Overload } from './environment.ts';
import { isKeyword } from './escape-name.ts';
import type { Issue } from './source.ts';
import * as types from './types.ts';
import { optionalValue, showSignature, showType, type Type } from './types.ts';
import { isDynOrError, isLessSpecific, Substitutions } from './unify.ts';

/** An expression with the type of each part, and the overloads that each call may mean. */
export interface Checked {
  readonly expr: Expr;
  readonly types: ReadonlyMap<Expr, Type>;
  /** The overloads of each call, of which the values choose one when it runs. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
  /** Calls that are functions with dots in their names, such as `sets.contains(a, b)`. */
  readonly functions: ReadonlyMap<Expr, string>;
  /** What each `Name{…}` makes. */
  readonly structs: ReadonlyMap<Expr, Constructible>;
  /** Names of variables and types that occur. */
  readonly references: ReadonlySet<string>;
}

/** Types of the fields of a type. */
export type FieldTypes = (type: Type & { readonly kind: 'struct' }, field: string) => Type | undefined;

/** Gives each part of an expression its type; what does not fit is added to `issues`. */
export function check(
  expr: Expr,
  { functions, identifiers, structs }: Environment,
  variables: ReadonlyMap<string, Type>,
  fieldTypes: FieldTypes,
  issues: Issue[],
): Checked {
  const checker = new Checker(functions, structs, new Map([...identifiers, ...variables]), fieldTypes, issues);
  checker.check(expr);
  return checker.checked(expr);
}

class Checker {
  readonly #functions: Environment['functions'];
  readonly #structs: Environment['structs'];
  readonly #fieldTypes: FieldTypes;
  readonly #issues: Issue[];
  readonly #types = new Map<Expr, Type>();
  readonly #overloads = new Map<Expr, readonly Overload[]>();
  readonly #names = new Map<Expr, string>();
  readonly #made = new Map<Expr, Constructible>();
  readonly #references = new Set<string>();
  readonly #known = new Substitutions();
  #scope: ReadonlyMap<string, Type>;
  #unknown = 0;

  constructor(
    functions: Environment['functions'],
    structs: Environment['structs'],
    scope: ReadonlyMap<string, Type>,
    fieldTypes: FieldTypes,
    issues: Issue[],
  ) {
    this.#functions = functions;
    this.#structs = structs;
    this.#scope = scope;
    this.#fieldTypes = fieldTypes;
    this.#issues = issues;
  }

  checked(expr: Expr): Checked {
    return {
      expr,
      types: new Map([...this.#types].map(([each, type]) => [each, this.#known.apply(type, true)])),
      overloads: this.#overloads,
      functions: this.#names,
      structs: this.#made,
      references: this.#references,
    };
  }

  #report(at: number, message: string): Type {
    this.#issues.push({ at, message });
    return types.errorType;
  }

  check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.#lookup(expr.name) ?? this.#undeclared(expr.at, expr.name);
      case 'select':
        return this.#selectType(expr);
      case 'call':
        return this.#callType(expr);
      case 'list':
        return this.#listType(expr);
      case 'map':
        return this.#mapType(expr);
      case 'struct':
        return this.#structType(expr);
      case 'comprehension':
        return this.#comprehensionType(expr);
    }
  }

  #lookup(name: string): Type | undefined {
    const plain = name.startsWith('.') ? name.slice(1) : name;
    const found = this.#scope.get(plain);
    if (found !== undefined) this.#references.add(plain);
    return found;
  }

  #undeclared(at: number, name: string): Type {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  #selectType(expr: Select): Type {
    // A name with dots, such as google.protobuf.Duration.
    const name = qualifiedName(expr);
    const named = name === undefined || expr.isTest ? undefined : this.#lookup(name);
    if (named !== undefined && name !== undefined) {
      this.#names.set(expr, name);
      return named;
    }
    const type = this.#fieldType(expr.at, expr.operand, expr.field, false);
    return expr.isTest ? types.bool : type;
  }

  #fieldType(at: number, operand: Expr, field: string, isOptional: boolean): Type {
    const operandType = this.#known.apply(this.check(operand));
    const inner = optionalValue(operandType);
    const result = this.#fieldOf(at, inner ?? operandType, field);
    return this.#known.apply(isOptional || inner !== undefined ? types.optional(result) : result);
  }

  #fieldOf(at: number, type: Type, field: string): Type {
    if (type.kind === 'map') return type.params[1];
    if (type.kind === 'struct') {
      const found =
        this.#fieldTypes(type, field) ?? (isKeyword(field) ? this.#fieldTypes(type, `__${field}__`) : undefined);
      return found ?? this.#report(at, `undefined field '${field}'`);
    }
    if (type.kind === 'param') this.#known.isAssignable(types.dyn, type);
    else if (!isDynOrError(type)) this.#report(at, `type '${showType(type)}' does not support field selection`);
    return types.dyn;
  }

  #callType(expr: Call): Type {
    const { name, target, args, at } = expr;
    const [operand, field] = args;
    if (name === '_?._' && operand !== undefined && field?.kind === 'literal') {
      return this.#fieldType(at, operand, String(field.value), true);
    }
    const argTypes = args.map((arg) => this.check(arg));
    const prefix = target && qualifiedName(target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (qualified !== undefined && this.#functions.has(qualified)) {
      this.#names.set(expr, qualified);
      return this.#resolve(expr, qualified, argTypes, false);
    }
    const types = target === undefined ? argTypes : [this.check(target), ...argTypes];
    const plain = name.startsWith('.') ? name.slice(1) : name;
    return this.#functions.has(plain)
      ? this.#resolve(expr, plain, types, target !== undefined)
      : this.#undeclared(at, name);
  }

  #resolve(expr: Call, name: string, args: readonly Type[], isMethod: boolean): Type {
    const candidates = (this.#functions.get(name) ?? []).filter((each) => each.isMethod === isMethod);
    if (name === '_&&_' || name === '_||_') return this.#resolveLogical(expr, args, candidates);
    let result: Type | undefined;
    const fitting = candidates.filter((each) => {
      const [own = types.errorType, ...wanted] = this.#fresh([each.result, ...each.args]);
      if (!this.#known.areAssignable(args, wanted)) return false;
      const type = this.#known.apply(own);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !types.isSameType(type, result)) result = types.dyn;
      return true;
    });
    this.#overloads.set(expr, fitting);
    if (result !== undefined) return result;
    const shown = showSignature(
      args.map((each) => this.#known.apply(each, true)),
      isMethod,
    );
    return this.#report(expr.at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  #resolveLogical(expr: Call, args: readonly Type[], candidates: readonly Overload[]): Type {
    this.#overloads.set(expr, candidates);
    const wrong = args.filter((type, i) => {
      if (this.#known.isAssignable(type, types.bool)) return false;
      this.#report(expr.args[i]?.at ?? expr.at, `expected type 'bool' but found '${showType(type)}'`);
      return true;
    });
    return wrong.length === 0 ? types.bool : types.errorType;
  }

  /** The types with new unknowns in the place of their parameters. */
  #fresh(own: readonly Type[]): readonly Type[] {
    const names = new Substitutions();
    const seen = new Set<string>();
    const visit = (type: Type): void => {
      if (type.kind === 'param' && !seen.has(type.name)) {
        seen.add(type.name);
        names.bind(type.name, this.#newUnknown());
      }
      types.paramsOf(type).forEach(visit);
    };
    own.forEach(visit);
    return own.map((type) => names.apply(type));
  }

  #newUnknown(): Type {
    return types.param(`_var${this.#unknown++}`);
  }

  #listType({ elements }: ListExpr): Type {
    let joined: Type | undefined;
    for (const { value, isOptional } of elements) {
      joined = this.#join(joined, this.#elementType(value, isOptional));
    }
    return types.list(joined ?? this.#newUnknown());
  }

  #mapType({ entries }: MapExpr): Type {
    let keys: Type | undefined;
    let values: Type | undefined;
    for (const { key, value, isOptional } of entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#elementType(value, isOptional));
    }
    return types.map(keys ?? this.#newUnknown(), values ?? this.#newUnknown());
  }

  #elementType(value: Expr, isOptional: boolean): Type {
    const type = this.check(value);
    if (!isOptional) return type;
    const inner = optionalValue(type);
    if (inner === undefined && type.kind !== 'dyn') this.#mismatch(value.at, types.optional(type), type);
    return inner ?? type;
  }

  #mismatch(at: number, wanted: Type, found: Type): Type {
    return this.#report(at, `expected type '${showType(wanted)}' but found '${showType(found)}'`);
  }

  #join(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    if (!this.#known.isAssignable(before, type)) return types.dyn;
    return isLessSpecific(before, type) ? before : type;
  }

  #structType(expr: StructExpr): Type {
    const struct = this.#structs?.(expr.name);
    if (struct === undefined) return this.#undeclared(expr.at, expr.name);
    this.#made.set(expr, struct);
    for (const { at, name, value, isOptional } of expr.fields) {
      const type = this.#elementType(value, isOptional);
      const wanted = struct.fieldType(name);
      if (wanted === undefined) this.#report(at, `undefined field '${name}'`);
      else if (!this.#known.isAssignable(wanted, type)) {
        const found = `expected type of field '${name}' is '${showType(wanted)}' but provided type is '${showType(type)}'`;
        this.#report(at, found);
      }
    }
    return types.struct(expr.name);
  }

  #comprehensionType(expr: Comprehension): Type {
    const range = this.#known.apply(this.check(expr.range));
    const gathered = this.check(expr.init);
    const outer = this.#scope;
    const inner = new Map(outer).set(expr.gathers, gathered);
    this.#scope = new Map([...inner, ...this.#variables(expr, range)]);
    this.#assert(expr.condition, types.bool);
    this.#assert(expr.step, gathered);
    this.#scope = inner;
    const result = this.#known.apply(this.check(expr.result));
    this.#scope = outer;
    return result;
  }

  #variables(expr: Comprehension, range: Type): readonly (readonly [string, Type])[] {
    const { variable, second } = expr;
    const pair = (first: Type, other: Type): readonly (readonly [string, Type])[] =>
      second === undefined
        ? [[variable, first]]
        : [
            [variable, first],
            [second, other],
          ];
    if (range.kind === 'list') return pair(second === undefined ? range.params[0] : types.int, range.params[0]);
    if (range.kind === 'map') return pair(range.params[0], range.params[1]);
    if (range.kind === 'param' || isDynOrError(range)) {
      this.#known.isAssignable(types.dyn, range);
      return pair(types.dyn, types.dyn);
    }
    const shown = showType(range);
    const message = `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    const wrong = this.#report(expr.range.at, message);
    return pair(wrong, wrong);
  }

  #assert(expr: Expr, wanted: Type): void {
    const type = this.check(expr);
    if (!this.#known.isAssignable(wanted, type)) this.#mismatch(expr.at, wanted, type);
  }
}

function literalType(value: (Expr & { readonly kind: 'literal' })['value']): Type {
  if (value === null) return types.nullType;
  switch (typeof value) {
    case 'boolean':
      return types.bool;
    case 'bigint':
      return types.int;
    case 'number':
      return types.double;
    case 'string':
      return types.string;
    default:
      return value instanceof Uint8Array ? types.bytes : types.uint;
  }
}

/** `a.b.c` as one name; undefined for anything else. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
