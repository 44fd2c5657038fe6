/**
 * A structural schema from a zod schema, by a walk over what zod keeps of its construction.
 *
 * Promises: what the result does not enforce on the API server is refused, never dropped. This is why it does not go
 * by `z.toJSONSchema`, which leaves out refinements, transforms, flags of patterns and keys of records without a word.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { z } from 'zod';
import { type CheckDef, checkReason, checksOf } from './checks.ts';
import { checkedDefault } from './default.ts';
import type { DefinitionField } from './definition-field.ts';
import { extended, extensionsOf } from './extensions.ts';
import { numberSchema } from './number.ts';
import { givenSchema } from './raw-schema.ts';
import { stringSchema } from './string.ts';
import { unionSchema } from './union.ts';

type Ancestors = readonly z.core.$ZodType[];

/** The checks that the conversion of a type takes up; a refinement is taken up by its rules. */
const understood: Readonly<Record<string, readonly CheckDef['check'][]>> = {
  string: ['min_length', 'max_length', 'length_equals', 'string_format'],
  number: ['greater_than', 'less_than', 'multiple_of', 'number_format'],
  array: ['min_length', 'max_length', 'length_equals'],
};

/** Why a type of zod has no counterpart in a CRD, and what to use instead. */
const reasons: Readonly<Record<string, string>> = {
  bigint: 'JSON numbers are read as doubles, which cannot hold it: use z.int(), or a string with a .regex()',
  catch: 'the API server refuses what does not fit, and puts nothing in its at: use .default() for what is absent',
  custom:
    'a JavaScript predicate cannot be checked by the API server: use a zod type, or rawSchema() with a structural schema',
  date: 'JSON has no dates: use z.iso.datetime()',
  intersection: 'a structural schema states each field once: merge the objects, with a.extend(b.shape)',
  lazy: 'a structural schema has no references, so that nothing can contain itself: write the levels out, or keep unknown fields with z.looseObject({})',
  map: 'JSON has no maps: use z.record(z.string(), …)',
  null: 'a field that is always null says nothing: use .nullable() or .optional() on the type that it may have',
  pipe: 'the API server stores values as they are sent, and converts none: state the type as it is on the wire, and convert in the controller',
  set: "JSON has no sets: use z.array(…).meta({ 'x-kubernetes-list-type': 'set' })",
  transform: 'the API server stores values as they are sent, and converts none: convert in the controller',
  tuple: 'the items of a list share one schema: use z.array(), or an object with a field for each',
};

/** The structural schema; what it cannot say is refused at the field where it stands. */
export function structuralSchema(
  schema: z.core.$ZodType,
  at: DefinitionField,
  ancestors: Ancestors = [],
): JSONSchemaProps {
  if (ancestors.includes(schema)) {
    at.refuse(`it contains itself: ${reasons.lazy}`);
    return {};
  }
  const given = givenSchema(schema);
  const { type } = schema._zod.def;
  const reason = given === undefined ? reasons[type] : undefined;
  if (reason !== undefined) {
    at.refuse(reason);
    return {};
  }
  const extensions = extensionsOf(schema, at);
  // What zod calls a custom type is its own first check.
  for (const check of given === undefined ? checksOf(schema) : checksOf(schema).slice(1)) {
    const isStated = check.check === 'custom' && extensions['x-kubernetes-validations'] !== undefined;
    const isText = check.check === 'describe' || check.check === 'meta';
    if (!isStated && !isText && !understood[type]?.includes(check.check)) at.refuse(checkReason(check));
  }
  const stated = given ?? typeSchema(schema as z.core.$ZodTypes, extensions, at, [...ancestors, schema]);
  return extended(stated, extensions);
}

function typeSchema(
  schema: z.core.$ZodTypes,
  extensions: JSONSchemaProps,
  at: DefinitionField,
  ancestors: Ancestors,
): JSONSchemaProps {
  const { def } = schema._zod;
  if ('coerce' in def && def.coerce) at.refuse('the API server converts no values: use the type without z.coerce');
  switch (def.type) {
    case 'string':
      return stringSchema(checksOf(schema), at);
    case 'number':
      return numberSchema(checksOf(schema), at);
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
    case 'literal':
      return enumSchema([...(schema._zod.values ?? [])], at);
    case 'template_literal':
      return stringSchema([{ check: 'string_format', format: 'regex', pattern: schema._zod.pattern }], at);
    case 'any':
    case 'unknown':
      return anySchema(extensions, at);
    case 'object':
      return objectSchema(def, at, ancestors);
    case 'record':
      return recordSchema(def, at, ancestors);
    case 'array': {
      const { minLength, maxLength } = stringSchema(checksOf(schema), at);
      return {
        type: 'array',
        items: alwaysPresent(def.element, at.items(), ancestors),
        ...(minLength !== undefined && { minItems: minLength }),
        ...(maxLength !== undefined && { maxItems: maxLength }),
      };
    }
    case 'union': {
      const discriminator = 'discriminator' in def ? String(def.discriminator) : undefined;
      if (discriminator === undefined && def.inclusive === false) {
        at.refuse('exactly one of several is not checked the way zod does it: use z.union() or z.discriminatedUnion()');
        return {};
      }
      return unionSchema(
        def.options.map((option) => alwaysPresent(option, at, ancestors)),
        discriminator,
        at,
      );
    }
    case 'nullable': {
      const inner = structuralSchema(def.innerType, at, ancestors);
      if (inner.enum !== undefined) at.refuse('the API server refuses null wherever there is an enum: use .optional()');
      return { ...inner, nullable: true };
    }
    case 'default':
    case 'prefault':
      return { ...structuralSchema(def.innerType, at, ancestors), ...checkedDefault(def, at) };
    case 'optional':
    case 'nonoptional':
    case 'readonly':
      return structuralSchema(def.innerType, at, ancestors);
    default:
      at.refuse(`JSON has no values of the zod type "${def.type}": use another one`);
      return {};
  }
}

/** A position that cannot be left out, so that nothing optional may stand there. */
function alwaysPresent(schema: z.core.$ZodType, at: DefinitionField, ancestors: Ancestors): JSONSchemaProps {
  if (isOptional(schema))
    at.refuse('only a field of an object can be absent or have a default: take off .optional() or .default()');
  return structuralSchema(schema, at, ancestors);
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined;
}

function enumSchema(values: readonly unknown[], at: DefinitionField): JSONSchemaProps {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  const type = types.has('number') && types.has('integer') && types.size === 2 ? 'number' : [...types][0];
  if (
    type === undefined ||
    (types.size > 1 && type !== 'number') ||
    !['string', 'integer', 'number', 'boolean'].includes(type)
  ) {
    at.refuse('the values of an enum are strings, numbers or booleans, all of one type: use .optional() for none');
    return {};
  }
  return { type, enum: values };
}

function anySchema(extensions: JSONSchemaProps, at: DefinitionField): JSONSchemaProps {
  if (!extensions['x-kubernetes-preserve-unknown-fields'] && !extensions['x-kubernetes-int-or-string']) {
    at.refuse(
      "the API server drops what the schema does not name: say that it is kept with .meta({ 'x-kubernetes-preserve-unknown-fields': true }), or use z.looseObject({}) for any object",
    );
  }
  return {};
}

function objectSchema(
  { shape, catchall }: z.core.$ZodObjectDef,
  at: DefinitionField,
  ancestors: Ancestors,
): JSONSchemaProps {
  const others = catchall?._zod.def.type;
  // Strict or not, the API server drops unknown fields, or refuses them where the client asks for it (kubectl does).
  const isLoose = others === 'unknown' || others === 'any';
  if (others !== undefined && others !== 'never' && !isLoose) {
    at.refuse(
      'a structural schema has named fields or any fields, not both: put the others into a z.record() of their own',
    );
  }
  const required = Object.keys(shape).filter((name) => !isOptional(shape[name] as z.core.$ZodType));
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [name, structuralSchema(field, at.field(name), ancestors)]),
    ),
    ...(required.length > 0 && { required }),
    ...(isLoose && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

function recordSchema(
  { keyType, valueType }: z.core.$ZodRecordDef,
  at: DefinitionField,
  ancestors: Ancestors,
): JSONSchemaProps {
  if (keyType._zod.def.type !== 'string' || checksOf(keyType).length > 0) {
    at.refuse(
      "the keys of a map are strings without restrictions: use z.string() and a rule, as in .meta({ 'x-kubernetes-validations': [rule(\"self.all(key, key.matches('^[a-z]+$'))\")] }), or an object with named fields",
    );
  }
  return { type: 'object', additionalProperties: alwaysPresent(valueType, at.values(), ancestors) };
}
