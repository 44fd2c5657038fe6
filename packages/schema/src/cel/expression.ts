/** An expression of a rule, compiled for the values of one schema. */

import type { DeclaredType } from './declared-type.ts';
import { estimateCost } from './estimate.ts';
import { compile, type Program } from './evaluate.ts';
import { check } from './language/check.ts';
import { parse } from './language/parser.ts';
import { type Issue, Source } from './language/source.ts';
import { nameOf, optional, type Type } from './language/types.ts';
import { kubernetesEnvironment } from './library/kubernetes-environment.ts';
import { checkLiterals, uncomputable } from './literals-check.ts';

/** An expression that compiled. */
export interface Expression {
  readonly program: Program;
  readonly usesOldSelf: boolean;
  /** What it may cost at most. */
  readonly maxCost: number;
}

/** An expression, or why it is none, in the words of the server. */
export type Compiled = Expression | { readonly problem: string };

/** `result` is the type that it must have: bool for a rule, string for a message. */
export function compileExpression(
  text: string,
  self: DeclaredType,
  hasOptionalOldSelf: boolean,
  result: { readonly type: 'bool' | 'string'; readonly problem: string },
): Compiled {
  const source = new Source(text);
  const issues: Issue[] = [];
  const expr = parse(source, issues);
  if (expr === undefined) return { problem: `compilation failed: ${source.show(issues)}` };
  const variables = new Map([
    ['self', self.type],
    ['oldSelf', hasOptionalOldSelf ? optional(self.type) : self.type],
  ]);
  const structs = fieldsByType(self);
  const fieldTypes = (type: Type, field: string) => structs.get(nameOf(type))?.get(field)?.type;
  const checked = check(expr, kubernetesEnvironment, variables, fieldTypes, issues);
  if (issues.length === 0) checkLiterals(checked, issues);
  if (issues.length > 0) return { problem: `compilation failed: ${source.show(issues)}` };
  if (checked.types.get(expr)?.kind !== result.type) return { problem: result.problem };
  const pattern = uncomputable(checked);
  if (pattern !== undefined) return { problem: `program instantiation failed: ${pattern}` };
  return {
    program: compile(checked, ['self', 'oldSelf']),
    usesOldSelf: checked.references.has('oldSelf'),
    maxCost: estimateCost(checked, self).max,
  };
}

/** The fields of all types with fields that a type is made of, by name. */
export function fieldsByType(root: DeclaredType): ReadonlyMap<string, DeclaredType['fields']> {
  const found = new Map<string, DeclaredType['fields']>();
  const visit = ({ type, fields, item }: DeclaredType): void => {
    if (type.kind === 'struct') found.set(type.name, fields);
    for (const field of fields.values()) visit(field);
    if (item !== undefined) visit(item);
  };
  visit(root);
  return found;
}
