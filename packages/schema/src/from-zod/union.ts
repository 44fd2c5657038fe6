/**
 * Unions that a structural schema can say: one type with alternatives, int-or-string, and objects told apart by a
 * discriminator, whose fields are lifted out of the alternatives. There, an option excludes the fields of the others,
 * which would otherwise be stored without a word.
 */
import { equalJson } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinitionField } from './definition-field.ts';

/** The schema of a union of these options. */
export function unionSchema(
  options: readonly JSONSchemaProps[],
  discriminator: string | undefined,
  at: DefinitionField,
): JSONSchemaProps {
  const isRefused = options.some((option) => Object.keys(option).length === 0);
  if (isRefused) return {};
  if (discriminator !== undefined) return discriminatedSchema(options, discriminator, at);
  const types = new Set(options.map(({ type }) => type));
  const [type] = types;
  if (types.size === 1 && type !== undefined && type !== 'object' && type !== 'array')
    return scalarSchema(type, options);
  if (types.size === 2 && options.length === 2 && types.has('integer') && types.has('string')) {
    return intOrString(options, at);
  }
  at.refuse(
    types.has('object')
      ? 'a union of objects can be checked only by a field that tells them apart: use z.discriminatedUnion()'
      : 'a structural schema has one type for each field (or integer and string): give the options one type, or a field each',
  );
  return {};
}

/** What nested alternatives may not repeat: the type stands outside, and texts have no place there. */
function valuesOnly({ type: _, title: __, description: ___, ...values }: JSONSchemaProps): JSONSchemaProps {
  return values;
}

function scalarSchema(type: string, options: readonly JSONSchemaProps[]): JSONSchemaProps {
  const alternatives = options.map(valuesOnly);
  const enums = alternatives.flatMap((each) => (onlyEnum(each) ? [each.enum] : []));
  if (enums.length === alternatives.length) return { type, enum: [...new Set(enums.flat())] };
  return { type, anyOf: alternatives };
}

function onlyEnum(schema: JSONSchemaProps): schema is { readonly enum: readonly unknown[] } {
  return schema.enum !== undefined && Object.keys(schema).length === 1;
}

// Bounds apply to the integer alone and patterns to the string alone, so that they can stand side by side.
function intOrString(options: readonly JSONSchemaProps[], at: DefinitionField): JSONSchemaProps {
  for (const key of ['enum', 'anyOf', 'x-kubernetes-validations'] as const) {
    if (options.every((option) => option[key] === undefined)) continue;
    at.refuse(
      `${key} would have to hold for the integer and the string alike: use ranges and patterns, or a rule on the union`,
    );
  }
  const [integer = {}, string = {}] = options[0]?.type === 'integer' ? options : options.toReversed();
  const { format, ...bounds } = valuesOnly(integer);
  const range = format === 'int32' ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } : {};
  const all = [...(bounds.allOf ?? []), ...(string.allOf ?? [])];
  return {
    'x-kubernetes-int-or-string': true,
    ...range,
    ...bounds,
    ...valuesOnly(string),
    ...(all.length > 0 && { allOf: all }),
  };
}

/** No value fits. A rule in CEL would say it in better words, but has a cost, which only kinds with rules can judge. */
const absent: JSONSchemaProps = { not: {} };

function discriminatedSchema(
  options: readonly JSONSchemaProps[],
  discriminator: string,
  at: DefinitionField,
): JSONSchemaProps {
  const properties: Record<string, JSONSchemaProps> = {};
  const values: unknown[] = [];
  const common = (options[0]?.required ?? []).filter((name) =>
    options.every(({ required }) => required?.includes(name)),
  );
  if (!common.includes(discriminator)) {
    at.field(discriminator).refuse('it tells the options apart: take off .optional() or .default() in all of them');
  }
  const alternatives = options.map((option) => {
    const { type, title: _, description: __, properties: fields = {}, required = [], ...rest } = option;
    if (type !== 'object' || Object.keys(rest).length > 0) {
      at.refuse(
        `an option may be a plain object only, without ${Object.keys(rest).join(', ') || 'another type'}: state that on the union`,
      );
    }
    for (const [name, field] of Object.entries(fields)) {
      if (name === discriminator) continue;
      const before = properties[name];
      if (before !== undefined && !equalJson(before, field)) {
        at.field(name).refuse('it has two meanings in one union: give it one schema, or two names');
      }
      if (field.default !== undefined && !options.every((other) => equalJson(other.properties?.[name], field))) {
        at.field(name).refuse('a default would appear in the other options too: make it .optional()');
      }
      properties[name] = field;
    }
    const own = fields[discriminator]?.enum ?? [];
    values.push(...own);
    const needed = required.filter((name) => !common.includes(name));
    const foreign = options.flatMap((other) => Object.keys(other.properties ?? {})).filter((name) => !(name in fields));
    return {
      properties: { [discriminator]: { enum: own }, ...Object.fromEntries(foreign.map((name) => [name, absent])) },
      ...(needed.length > 0 && { required: needed }),
    };
  });
  const { enum: _, ...first } = options[0]?.properties?.[discriminator] ?? {};
  return {
    type: 'object',
    properties: { [discriminator]: { ...first, enum: values }, ...properties },
    ...(common.length > 0 && { required: common }),
    // The discriminator makes them exclusive. oneOf would say no more, and refuse null where it is allowed.
    anyOf: alternatives,
  };
}
