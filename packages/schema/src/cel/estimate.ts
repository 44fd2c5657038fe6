/**
 * What an expression may cost at most, by the sizes that its schema allows.
 *
 * The API server refuses rules by this number, so that it follows the server's reckoning step by step, with its
 * oddities: values that are no texts, lists or maps have no size, and comparing them is free.
 */

import type { DeclaredType } from './declared-type.ts';
import { accumulator, type Call, type Comprehension, type Expr, type ListExpr, type MapExpr } from './language/ast.ts';
import { countCharacters } from './language/characters.ts';
import type { Checked } from './language/check.ts';
import {
  exactly,
  listCost,
  mapCost,
  none,
  one,
  plus,
  type Range,
  type Sized,
  times,
  union,
  unknown,
} from './language/cost.ts';
import { dyn, optionalValue, type Type } from './language/types.ts';

/** From the least to the most that an expression may cost; `root` is the type of `self`. */
export function estimateCost(checked: Checked, root: DeclaredType): Range {
  return new Estimator(checked, root).cost(checked.expr);
}

/** Names of fields from the variable on, and `@items`, `@keys` or `@values`. */
type Path = readonly string[];

interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimator {
  readonly #checked: Checked;
  readonly #root: DeclaredType;
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySize>();
  #locals: ReadonlyMap<string, Local> = new Map();

  constructor(checked: Checked, root: DeclaredType) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
      case 'struct':
        return none;
      case 'ident':
        this.#paths.set(expr, this.#locals.get(expr.name)?.path ?? [expr.name]);
        return one;
      case 'select': {
        const operand = this.cost(expr.operand);
        if (expr.isTest) return operand;
        this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
        return ['map', 'struct', 'param'].includes(this.#type(expr.operand).kind) ? plus(operand, one) : operand;
      }
      case 'call':
        return this.#callCost(expr);
      case 'list':
        return this.#listCost(expr);
      case 'map':
        return this.#mapCost(expr);
      case 'comprehension':
        return this.#comprehensionCost(expr);
    }
  }

  #type(expr: Expr): Type {
    return this.#checked.types.get(expr) ?? dyn;
  }

  #path(expr: Expr): Path {
    return (expr.kind === 'ident' ? this.#locals.get(expr.name)?.path : undefined) ?? this.#paths.get(expr) ?? [];
  }

  #callCost(expr: Call): Range {
    const isFunction = this.#checked.functions.has(expr);
    const target = isFunction ? undefined : expr.target;
    if (expr.name === 'dyn' && target === undefined && expr.args[0] !== undefined)
      return this.#dynCost(expr, expr.args[0]);
    const costs = expr.args.map((arg) => this.cost(arg));
    if (expr.name === '_?._') return plus(...costs, one);
    const overloads = this.#checked.overloads.get(expr) ?? [];
    if (overloads.length === 0) return none;
    const targetCost = target === undefined ? none : this.cost(target);
    const operands = target === undefined ? expr.args : [target, ...expr.args];
    let total: Range = { min: Number.POSITIVE_INFINITY, max: 0 };
    let size: Range | undefined;
    for (const { id, estimate } of overloads) {
      if (id === 'conditional' || id === 'logical') {
        const found = id === 'logical' ? logicalCost(costs) : this.#conditionalCost(expr, costs);
        total = union(total, found.cost);
        if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size);
        continue;
      }
      const found = estimate?.(...operands.map((operand) => this.#sized(operand)));
      if (id === 'add_list') this.#joinEntries(expr);
      total = union(total, plus(found?.cost ?? one, ...costs));
      if (found?.size !== undefined) size = size === undefined ? found.size : union(size, found.size);
      const [container] = expr.args;
      if ((id === 'index_list' || id === 'index_map') && container !== undefined) {
        size = this.#entrySize(container)?.value;
        this.#paths.set(expr, [...this.#path(container), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return plus(targetCost, total);
  }

  #dynCost(expr: Call, arg: Expr): Range {
    const cost = plus(one, this.cost(arg));
    this.#copySizes(expr, arg);
    return cost;
  }

  #conditionalCost(expr: Call, costs: readonly Range[]): { cost: Range; size?: Range } {
    const [, yes, no] = expr.args;
    const [condition = none, ifTrue = none, ifFalse = none] = costs;
    const cost = plus(condition, union(ifTrue, ifFalse));
    if (yes === undefined || no === undefined) return { cost };
    const entries = unionEntries(this.#entrySize(yes), this.#entrySize(no));
    if (entries !== undefined) this.#entries.set(expr, entries);
    return { cost, size: union(this.#size(yes) ?? unknown, this.#size(no) ?? unknown) };
  }

  #joinEntries(expr: Call): void {
    const [left, right] = expr.args;
    const joined = left && right && unionEntries(this.#entrySize(left), this.#entrySize(right));
    if (joined !== undefined) this.#entries.set(expr, joined);
  }

  #listCost(expr: ListExpr): Range {
    const costs = expr.elements.map(({ value }) => this.cost(value));
    const value = this.#unionSizes(expr.elements.map((element) => element.value));
    this.#entries.set(expr, { isList: true, key: one, value });
    return plus(...costs, exactly(listCost));
  }

  #mapCost(expr: MapExpr): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    this.#entries.set(expr, {
      isList: false,
      key: this.#unionSizes(expr.entries.map(({ key }) => key)),
      value: this.#unionSizes(expr.entries.map(({ value }) => value)),
    });
    return plus(...costs, exactly(mapCost));
  }

  #unionSizes(exprs: readonly Expr[]): Range {
    return exprs.length === 0 ? none : exprs.map((expr) => this.#size(expr) ?? unknown).reduce((a, b) => union(a, b));
  }

  #comprehensionCost(expr: Comprehension): Range {
    const rangeCost = this.cost(expr.range);
    const initCost = this.cost(expr.init);
    const outer = this.#locals;
    const gathered = new Map(outer).set(expr.gathers, {
      path: this.#path(expr.init),
      size: this.#size(expr.init),
      entries: this.#entrySize(expr.init),
    });
    // A name for a value is a loop over nothing.
    const isBinding = expr.gathers !== accumulator;
    this.#locals = isBinding ? gathered : new Map([...gathered, ...this.#variables(expr)]);
    const perItem = isBinding ? none : plus(this.cost(expr.condition), this.cost(expr.step));
    const stepEntries = isBinding ? undefined : this.#entrySize(expr.step);
    this.#locals = gathered;
    const resultCost = this.cost(expr.result);
    if (isBinding) {
      this.#copySizes(expr, expr.result);
      this.#locals = outer;
      return plus(rangeCost, initCost, resultCost);
    }
    this.#locals = outer;
    const count = this.#size(expr.range) ?? unknown;
    if (expr.init.kind === 'literal') this.#sizes.set(expr, this.#size(expr.init) ?? one);
    else this.#sizes.set(expr, count);
    if (expr.init.kind !== 'literal' && stepEntries !== undefined) this.#entries.set(expr, stepEntries);
    return plus(rangeCost, initCost, resultCost, times(count, perItem));
  }

  #variables(expr: Comprehension): readonly (readonly [string, Local])[] {
    const entries = this.#entrySize(expr.range);
    const path = this.#path(expr.range);
    const isList = entries?.isList ?? this.#type(expr.range).kind === 'list';
    const key = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key, entries: undefined };
    const value = { path: [...path, isList ? '@items' : '@values'], size: entries?.value, entries: undefined };
    if (expr.second !== undefined)
      return [
        [expr.variable, key],
        [expr.second, value],
      ];
    return [[expr.variable, isList ? value : key]];
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    const entries = this.#entrySize(from);
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#locals.get(expr.name)?.entries : undefined);
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#path(expr));
    if (declared !== undefined) {
      this.#sizes.set(expr, declared);
      return declared;
    }
    if (isScalar(this.#type(expr))) return one;
    return expr.kind === 'ident' ? this.#locals.get(expr.name)?.size : undefined;
  }

  /** By the schema; the variable itself, self or oldSelf, is the root. */
  #declaredSize(path: Path): Range | undefined {
    if (path.length === 0) return undefined;
    let at: DeclaredType | undefined = this.#root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') at = at.item;
      else if (name === '@keys') return at.type.kind === 'map' ? { min: 0, max: 0 } : undefined;
      else at = at.fields.get(name);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.maxSize };
  }

  #sized(expr: Expr): Sized {
    const path = this.#path(expr);
    const hasPath = path.length > 0 && path[0] !== accumulator;
    return {
      type: this.#type(expr),
      size: this.#size(expr) ?? unknown,
      itemSize: (hasPath ? this.#declaredSize([...path, '@items']) : undefined) ?? unknown,
      literal: expr.kind === 'literal' ? expr.value : undefined,
    };
  }
}

function logicalCost([left = none, right = none]: readonly Range[]): { readonly cost: Range; readonly size?: Range } {
  return { cost: { min: left.min, max: plus(left, right).max } };
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return exactly(expr.elements.length);
  if (expr.kind === 'map') return exactly(expr.entries.length);
  if (expr.kind !== 'literal') return undefined;
  const { value } = expr;
  if (typeof value === 'string') return exactly(countCharacters(value));
  return value instanceof Uint8Array ? exactly(value.length) : one;
}

function isScalar(type: Type): boolean {
  const inner = optionalValue(type);
  if (inner !== undefined) return isScalar(inner);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
