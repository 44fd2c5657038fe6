/** The rules in a schema: they carry their judge along, out of sight of whatever reads the schema as data. */

import type { RuleJudge } from '../structural/rule-judge.ts';
import type { DefinitionField } from './definition-field.ts';
import { judgedBy, type ValidationRule } from './validation-rule.ts';

/** Types keep others from being given; JavaScript does not. */
export function refuseUnjudged(rules: readonly ValidationRule[], at: DefinitionField): void {
  for (const each of rules) {
    if (each?.[judgedBy] === undefined)
      at.refuse(
        `a rule is made by rule() of @keelson/schema/rules, which judges it: use rule(${JSON.stringify(each?.rule)})`,
      );
  }
}

/** The judge of the rules in a value, undefined where there are none. */
export function judgeOf(value: unknown): RuleJudge | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own = (value as Partial<ValidationRule>)[judgedBy];
  if (own !== undefined) return own as RuleJudge;
  for (const each of Object.values(value)) {
    const found = judgeOf(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
