/**
 * A structural schema, compiled once: prunes, defaults and validates objects as the API server does.
 *
 * Promises: inputs are never changed; what stays the same is shared, up to the whole object.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileRules, ruleCauses, type Warn } from '../cel/rules.ts';
import { Correlation } from '../tree/correlation.ts';
import { compileNode } from '../tree/schema-node.ts';
import { checkValue } from '../values/check-value.ts';
import { Findings } from '../values/findings.ts';
import { compileValues } from '../values/value-schema.ts';
import { type Cause, invalid, wholeObject } from '../wording/cause.ts';
import { isObject } from '../wording/go-text.ts';
import { fillDefaults } from './defaults.ts';
import { embeddedCauses } from './embedded.ts';
import { listTypeCauses } from './list-types.ts';
import { type Pruned, pruneObject } from './prune.ts';

export interface StructuralSchema {
  /** Drops unknown fields of a whole object; apiVersion, kind and metadata stay. */
  prune(object: unknown): Pruned;
  /** Fills in defaults, after pruning: on every write, and on every read. */
  default(object: unknown): unknown;
  /**
   * What is wrong with a whole object, in the API server's order: values, embedded metadata, lists that are sets or
   * maps, CEL rules. With `old`, the object before this update, transition rules run and what was wrong and has not
   * changed is tolerated. The object's own metadata is not looked at, save by rules. `warn` gets what is tolerated of
   * rules, as the server's warnings say it.
   */
  validate(object: unknown, old?: unknown, warn?: Warn): readonly Cause[];
  /** The same for an update of the status subresource, where the values of the status alone are checked. */
  validateStatus(object: unknown, old: unknown, warn?: Warn): readonly Cause[];
}

/** For schemas in which `structuralProblems` finds nothing. */
export function compileStructural(schema: JSONSchemaProps): StructuralSchema {
  const node = compileNode(schema);
  const values = compileValues(schema);
  const rules = compileRules(node, true);
  const status = values.properties.get('status');

  const valueCauses = (object: unknown, old: unknown): readonly Cause[] => {
    const findings = new Findings(undefined);
    checkValue(values, object, '', findings);
    if (findings.causes.length === 0 || old === undefined) return findings.causes;
    // Comparing with the old object costs more than checking, and is seldom needed: so it is a second run.
    const tolerant = new Findings(undefined);
    checkValue(values, object, '', tolerant, new Correlation(node, object, old));
    return tolerant.causes;
  };

  const statusCauses = (object: unknown, old: unknown): readonly Cause[] => {
    if (status === undefined || !isObject(object) || !Object.hasOwn(object, 'status')) return [];
    const findings = new Findings('status');
    checkValue(status, object.status, '', findings, new Correlation(node, object, old).field('status'));
    return findings.causes;
  };

  const listCauses = (object: unknown, old: unknown): readonly Cause[] => {
    const causes = listTypeCauses(node, object);
    return causes.length > 0 && old !== undefined && listTypeCauses(node, old).length > 0 ? [] : causes;
  };

  const withRules = (causes: readonly Cause[], object: unknown, old: unknown, warn: Warn = () => {}) => {
    if (rules === undefined) return causes;
    const blocked = rulesBlocked(causes);
    if (blocked !== undefined) return [...causes, blocked];
    const correlation = old === undefined ? undefined : new Correlation(node, object, old);
    return [...causes, ...ruleCauses(rules, object, old, { correlation, warn })];
  };

  return {
    prune: (object) => pruneObject(node, object),
    default: (object) => fillDefaults(node, object),
    validate: (object, old, warn) => {
      const causes = [...valueCauses(object, old), ...embeddedCauses(node, object), ...listCauses(object, old)];
      return withRules(causes, object, old, warn);
    },
    validateStatus: (object, old, warn) =>
      withRules([...statusCauses(object, old), ...listCauses(object, old)], object, old, warn),
  };
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rules are not run on an object of a wrong form, and a cause says so. */
function rulesBlocked(causes: readonly Cause[]): Cause | undefined {
  return causes.some(({ reason }) => blocking.has(reason))
    ? invalid(
        wholeObject,
        null,
        'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      )
    : undefined;
}
