/**
 * The schema of `status.conditions`: a list merged by `type`, with the limits of Kubernetes' own Condition.
 *
 * The declared types bind the writer of the status. In the CRD the type stays an open string: an enum would refuse
 * conditions that a later version or a foreign controller writes.
 */
import type { Condition, ConditionInput, ConditionStatus } from '@keelson/core';
import { z } from 'zod';

/** A condition as read: the declared types are known, others may be there. */
export interface DeclaredCondition<Type extends string = string> extends Omit<Condition, 'type' | 'status'> {
  readonly type: Type | (string & {});
  readonly status: ConditionStatus;
}

const domain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const conditionType = new RegExp(`^(${domain}(\\.${domain})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`);

const schema = z
  .array(
    z.object({
      type: z.string().max(316).regex(conditionType).describe('What the condition is about, in CamelCase.'),
      status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds: True, False or Unknown.'),
      observedGeneration: z
        .int()
        .min(0)
        .optional()
        .describe('The metadata.generation that the condition speaks of; if it is older, so is the condition.'),
      lastTransitionTime: z.iso.datetime().describe('When its status changed for the last time.'),
      reason: z
        .string()
        .min(1)
        .max(1024)
        .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
        .describe('Why its status is what it is, in CamelCase, for programs.'),
      message: z.string().max(32768).describe('The same for people.'),
    }),
  )
  .describe('What the controller has to say about the object, one condition for each type.')
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

const declared = z.registry<{ readonly types: readonly string[] }>();

/**
 * The schema of `status.conditions` with these types of conditions. The writer of the status states one of these;
 * its readers may meet others. The engine stamps `observedGeneration` and `lastTransitionTime`. Throws a
 * `TypeError` for a type that is no name.
 *
 * @example
 * status: z.object({ conditions: conditions('Available', 'Progressing', 'Degraded') })
 */
export function conditions<const Type extends string>(
  ...types: readonly [Type, ...Type[]]
): z.ZodType<readonly DeclaredCondition<Type>[], readonly ConditionInput<Type>[]> {
  for (const type of types) {
    if (!conditionType.test(type) || type.length > 316)
      throw new TypeError(`conditions: "${type}" is not a type in CamelCase`);
  }
  // What is written lacks what the engine stamps, which zod cannot know.
  return schema.clone().register(declared, { types }) as unknown as ReturnType<typeof conditions<Type>>;
}

/** The types that were declared for a schema made by `conditions`; none for any other. */
export function declaredConditions(field: z.core.$ZodType | undefined): readonly string[] {
  return (field && declared.get(field)?.types) ?? [];
}
