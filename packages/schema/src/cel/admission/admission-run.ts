/**
 * Expressions of a policy, run over one request.
 *
 * Promises: variables are computed when they are first used, and once; all expressions of a run together have a budget,
 * and each alone the limit of one call.
 */
import { Budget, BudgetExceeded, perCallLimit } from '../language/budget.ts';
import { CelError, MapValue, type Value } from '../language/values.ts';
import type { AdmissionCompiler, AdmissionExpression, AdmissionProblem } from './admission-compiler.ts';
import { type Authorize, Authorizer, ResourceCheck } from './authorizer.ts';
import { dynamicValue } from './dynamic-value.ts';

/** What expressions see; all values are JSON. */
export interface AdmissionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly namespaceObject: unknown;
  readonly params: unknown;
  /** Without it, there is no authoriser to ask. */
  readonly authorizer?:
    | { readonly authorize: Authorize; readonly requestResource: ResourceCheck['resource'] }
    | undefined;
}

/** What all expressions of a policy may cost for one binding. */
export const policyBudget = 10_000_000;
/** What all match conditions of a policy or webhook may cost. */
export const matchConditionsBudget = 2_500_000;

/** All expressions together cost more than they may; the message is the server's. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** What an expression gave, or what is wrong, in the words of the server. */
export type Evaluated = { readonly value: Value } | { readonly error: string };

/** One run of a policy's expressions. */
export class AdmissionRun {
  readonly #values: ReadonlyMap<string, Value>;
  #left: number;
  #ofVariables = 0;

  constructor(variables: AdmissionCompiler['variables'], input: AdmissionInput, budget: number) {
    this.#left = budget;
    const { object, oldObject, request, namespaceObject, params, authorizer } = input;
    const values = new Map<string, Value>([
      ['object', dynamicValue(object)],
      ['oldObject', dynamicValue(oldObject)],
      ['request', dynamicValue(request)],
      ['namespaceObject', dynamicValue(namespaceObject)],
      ['params', dynamicValue(params)],
      ['variables', new LazyVariables(variables, (name, expression) => this.#variable(name, expression))],
    ]);
    if (authorizer !== undefined) {
      const asker = new Authorizer(authorizer.authorize);
      values.set('authorizer', asker);
      values.set('authorizer.requestResource', new ResourceCheck(asker, authorizer.requestResource));
    }
    this.#values = values;
  }

  /** What later runs may still spend. */
  get left(): number {
    return this.#left;
  }

  /** Throws `OutOfBudget`. */
  evaluate(expression: AdmissionExpression | AdmissionProblem): Evaluated {
    if ('problem' in expression) return { error: `compilation error: ${expression.problem}` };
    const { value, spent } = run(expression, this.#values);
    const cost = spent + this.#ofVariables;
    this.#ofVariables = 0;
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
    if (!(value instanceof CelError)) return { value };
    return { error: `expression '${expression.text}' resulted in error: ${value.message}` };
  }

  #variable(name: string, expression: AdmissionExpression | AdmissionProblem): Value {
    const named = `composited variable ${JSON.stringify(name)}`;
    if ('problem' in expression) return new CelError(`${named} fails to compile: ${expression.problem}`);
    const { value, spent } = run(expression, this.#values);
    this.#ofVariables += spent;
    return value instanceof CelError ? new CelError(`${named} fails to evaluate: ${value.message}`) : value;
  }
}

function run(
  { program }: AdmissionExpression,
  values: ReadonlyMap<string, Value>,
): { readonly value: Value; readonly spent: number } {
  const budget = new Budget(perCallLimit);
  try {
    return { value: program(values, budget), spent: budget.spent };
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return { value: new CelError('operation cancelled: actual cost limit exceeded'), spent: budget.spent };
  }
}

type Compute = (name: string, expression: AdmissionExpression | AdmissionProblem) => Value;

class LazyVariables extends MapValue {
  readonly #expressions: AdmissionCompiler['variables'];
  readonly #compute: Compute;
  readonly #known = new Map<string, Value>();

  constructor(expressions: AdmissionCompiler['variables'], compute: Compute) {
    super();
    this.#expressions = expressions;
    this.#compute = compute;
  }

  get size(): number {
    return this.#expressions.size;
  }

  get(key: Value): Value | undefined {
    const name = String(key);
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    let value = this.#known.get(name);
    if (value === undefined) {
      value = this.#compute(name, expression);
      this.#known.set(name, value);
    }
    return value;
  }

  keys(): Iterable<Value> {
    return this.#expressions.keys();
  }
}
