/**
 * The rules of a schema, run over an object.
 *
 * Promises: a rule that speaks of oldSelf runs only where there is an old value, unless it says that there may be
 * none; another one is tolerated to fail where nothing has changed. All rules together have a budget for one object.
 */

import { isObject } from '@keelson/core';
import type { Correlation } from '../tree/correlation.ts';
import { listMapKey } from '../tree/list-map-key.ts';
import type { SchemaNode } from '../tree/schema-node.ts';
import { invalidValue, type Problem, problemText, wholeObject } from '../wording/problem.ts';
import { asResourceSchema, type DeclaredType, declaredType } from './declared-type.ts';
import { jsonValue } from './json-value.ts';
import { Budget, BudgetExceeded, perCallLimit } from './language/budget.ts';
import { escapeName } from './language/escape-name.ts';
import { CelError, Optional, type Value } from './language/values.ts';
import { compileRule, failure, messageOf, type Rule, ruleText } from './rule.ts';

/** The most that all rules may cost for one object, about a second for the real server. */
const perObjectBudget = 10_000_000;

/** The schema's tree, as far as there are rules in it. */
export interface RuleNode {
  readonly node: SchemaNode;
  readonly isResource: boolean;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Undefined where there are no rules. */
export function compileRules(node: SchemaNode, isResource: boolean): RuleNode | undefined {
  const { schema } = node;
  const declared = lazily(() => declaredType(schema, isResource, 'selfType0'));
  const self = node.rules.length > 0 ? declared() : undefined;
  const rules = self === undefined ? [] : node.rules.flatMap((rule) => compileRule(rule, self, schema) ?? []);
  const properties = new Map<string, RuleNode>();
  for (const [name, field] of node.properties) {
    const rulesOfField = compileRules(field, field.isEmbedded);
    // What expressions cannot see has no rules either, but for names that no expression can have.
    if (rulesOfField !== undefined && isVisible(name, declared())) properties.set(name, rulesOfField);
  }
  const { additional: values, items: element } = node;
  const additional = typeof values === 'object' ? compileRules(values, values.isEmbedded) : undefined;
  const items = element && compileRules(element, element.isEmbedded);
  const hasRules = rules.length > 0 || properties.size > 0 || additional !== undefined || items !== undefined;
  return hasRules ? { node, isResource, rules, properties, additional, items } : undefined;
}

function isVisible(name: string, declared: DeclaredType | undefined): boolean {
  const escaped = escapeName(name);
  return escaped === undefined || (declared?.fields.has(escaped) ?? false);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Gets what a rule says that is tolerated to fail. */
export type Warn = (text: string) => void;

/** How rules are run over a value. */
export interface RunOptions {
  /** Where the value stands. @default the whole object */
  readonly field?: string;
  readonly correlation?: Correlation | undefined;
  readonly warn?: Warn;
}

/** What the rules say of a value that was `old` before this update. */
export function ruleProblems(
  root: RuleNode,
  value: unknown,
  old: unknown,
  { field = '', correlation, warn = () => {} }: RunOptions = {},
): readonly Problem[] {
  const run = new Run(warn);
  try {
    run.visit(root, field, value, old, { current: correlation, parent: undefined });
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
  }
  return run.problems;
}

/** The value's correlation with the old one, or else that of the nearest value around it that has one. */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

class Run {
  readonly problems: Problem[] = [];
  readonly #warn: Warn;
  #left = perObjectBudget;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  visit(node: RuleNode, field: string, value: unknown, old: unknown, ratchet: Ratchet): void {
    if (value === null || value === undefined) return;
    if (node.rules.length > 0) this.#runRules(node, field, value, old ?? undefined, ratchet);
    if (Array.isArray(value)) this.#visitItems(node, field, value, old, ratchet);
    else if (isObject(value)) this.#visitFields(node, field, value, old, ratchet);
  }

  #visitItems(node: RuleNode, field: string, list: readonly unknown[], old: unknown, ratchet: Ratchet): void {
    const { items } = node;
    if (items === undefined) return;
    const keys = node.node.listMapKeys;
    const oldItems = new Map<string, unknown>();
    for (const item of keys !== undefined && Array.isArray(old) ? old : []) {
      const key = listMapKey(item, keys ?? []);
      if (key !== undefined && !oldItems.has(key)) oldItems.set(key, item);
    }
    for (const [i, item] of list.entries()) {
      const key = keys === undefined ? undefined : listMapKey(item, keys);
      const before = key === undefined ? undefined : oldItems.get(key);
      const next =
        ratchet.current === undefined ? ratchet : { current: ratchet.current.item(i), parent: ratchet.current };
      this.visit(items, `${field}[${i}]`, item, before, next);
    }
  }

  #visitFields(
    node: RuleNode,
    field: string,
    object: Readonly<Record<string, unknown>>,
    old: unknown,
    ratchet: Ratchet,
  ): void {
    const { additional, properties } = node;
    if (additional === undefined && properties.size === 0) return;
    for (const name of Object.keys(object)) {
      const child = additional ?? properties.get(name);
      if (child === undefined) continue;
      const place = additional === undefined ? (field === '' ? name : `${field}.${name}`) : `${field}[${name}]`;
      const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      this.visit(child, place, object[name], before, ratchetOf(ratchet, name));
    }
  }

  #runRules(node: RuleNode, field: string, value: unknown, old: unknown, ratchet: Ratchet): void {
    const type = node.node.schema.type ?? '';
    const place = field === '' ? wholeObject : field;
    if (this.#left <= 0) this.#stop(place, type);
    const schema = node.isResource ? asResourceSchema(node.node.schema) : node.node.schema;
    const self = jsonValue(value, schema);
    const oldSelf = old === undefined ? undefined : jsonValue(old, schema);
    for (const rule of node.rules) {
      const isOptional = rule.rule.optionalOldSelf === true;
      if (rule.expression.usesOldSelf && oldSelf === undefined && !isOptional) continue;
      const variables = new Map<string, Value>([
        ['self', self],
        ['oldSelf', isOptional ? new Optional(oldSelf) : (oldSelf ?? null)],
      ]);
      this.#runRule(rule, variables, place, field, value, type, ratchet);
    }
  }

  #runRule(
    rule: Rule,
    variables: ReadonlyMap<string, Value>,
    place: string,
    field: string,
    value: unknown,
    type: string,
    ratchet: Ratchet,
  ): void {
    const result = this.#spend(place, type, rule, (budget) => rule.expression.program(variables, budget));
    if (result === true) return;
    if (result instanceof CelError) {
      const name = ruleText(rule.rule);
      const detail = result.message.startsWith('no such overload')
        ? `'${result.message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
        : `${result.message} evaluating rule: ${name}`;
      this.problems.push(invalidValue(place, type, detail));
      return;
    }
    const { message } = rule;
    const text = message && this.#spend(place, type, rule, (budget) => messageOf(message, variables, budget));
    const below = rule.fieldPath === '' ? place : joined(field, rule.fieldPath);
    const problem = failure(rule.rule, below, value, type, text);
    const isTolerated = !rule.expression.usesOldSelf && (ratchet.current ?? ratchet.parent)?.isEqual();
    if (isTolerated) this.#warn(problemText(problem));
    else this.problems.push(problem);
  }

  #spend<T>(place: string, type: string, { rule }: Rule, run: (budget: Budget) => T): T {
    const budget = new Budget(perCallLimit);
    try {
      const result = run(budget);
      this.#left -= budget.spent;
      if (this.#left < 0) this.#stop(place, type);
      return result;
    } catch (error) {
      if (error instanceof BudgetExceeded && this.#left >= 0) {
        const detail = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
        this.problems.push(invalidValue(place, type, detail));
      }
      throw error;
    }
  }

  #stop(place: string, type: string): never {
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.problems.push(invalidValue(place, type, detail));
    throw new BudgetExceeded();
  }
}

function joined(field: string, path: string): string {
  return field === '' || path.startsWith('[') ? `${field}${path}` : `${field}.${path}`;
}

/** Nothing follows from an equal apiVersion or kind, to which the old ones were converted. */
function ratchetOf(ratchet: Ratchet, name: string): Ratchet {
  if (ratchet.current === undefined) return ratchet;
  if (ratchet.parent === undefined && (name === 'apiVersion' || name === 'kind')) {
    return { current: undefined, parent: undefined };
  }
  return { current: ratchet.current.field(name), parent: ratchet.current };
}
