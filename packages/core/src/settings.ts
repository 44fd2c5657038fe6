/**
 * Settings: what an author lets those who run an operator choose, said once as a schema.
 *
 * Flags, environment variables and `--help` follow from it; so do the types of what a reconciler is given, and values for
 * a chart. The schema is any that can validate and describe itself in the way of Standard Schema and Standard JSON Schema
 * (zod 4 does); no library is imported for it.
 * Does not: take nested objects. A setting is a text, a number, a yes or no, or a list of texts.
 */

/** A schema of settings: `z.object({ … })`, or that of another library with the same two abilities. */
export interface SettingsSchema<Output = unknown, Input = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

interface Typed<T> {
  readonly '~standard': { readonly types?: T };
}

/** The settings as a reconciler gets them: complete and valid. `undefined` where none are declared. */
export type SettingsOf<S> =
  S extends Typed<infer T> ? (NonNullable<T> extends { readonly output: infer O } ? Readonly<O> : never) : undefined;

/** The settings as they are given: what has a default may be absent. */
export type SettingsInputOf<S> =
  S extends Typed<infer T> ? (NonNullable<T> extends { readonly input: infer I } ? Readonly<I> : never) : undefined;

/** One setting, as far as flags, variables and help need to know it. */
export interface Setting {
  /** As the schema calls it: `dnsServer`. */
  readonly name: string;
  /** `dns-server`, to be given as `--dns-server`. */
  readonly flag: string;
  /** `WEBSITE_OPERATOR_DNS_SERVER`. */
  readonly variable: string;
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  readonly description: string | undefined;
  readonly default: unknown;
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
}

interface FieldSchema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly items?: { readonly type?: unknown };
}

/** The settings of a schema, in its order; `owner` is the operator's name. A setting of another form is a RangeError. */
export function settingsOf(schema: SettingsSchema, owner: string): readonly Setting[] {
  const described = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const fields = (described.properties ?? {}) as Readonly<Record<string, FieldSchema>>;
  const required = (described.required ?? []) as readonly string[];
  return Object.entries(fields).map(([name, field]) => ({
    name,
    flag: words(name).join('-'),
    variable: [...owner.split('-'), ...words(name)].join('_').toUpperCase(),
    type: typeOf(name, field),
    description: typeof field.description === 'string' ? field.description : undefined,
    default: field.default,
    choices: Array.isArray(field.enum) ? field.enum.map(String) : undefined,
    isRequired: required.includes(name),
  }));
}

const words = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[-_]/)
    .map((word) => word.toLowerCase());

function typeOf(name: string, { type, items }: FieldSchema): Setting['type'] {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean' || type === 'string') return type;
  if (type === 'array' && items?.type === 'string') return 'list';
  throw new RangeError(`setting ${name}: it must be a string, a number, a boolean or a list of strings`);
}

/** What was written on the command line or in the environment, as the value that it means. */
export function settingFrom({ type }: Setting, text: string): unknown {
  if (type === 'list') return text === '' ? [] : text.split(',').map((each) => each.trim());
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  // What is no number is left to the schema, which says what it expected.
  return type === 'number' && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/**
 * The settings, complete, if they are valid; otherwise a RangeError that names each that is not, as `nameOf` calls it
 * where whoever gave it knows it by another name.
 */
export function validSettings<S extends SettingsSchema>(
  schema: S,
  given: unknown,
  nameOf = (setting: string): string => setting,
): SettingsOf<S> {
  const result = schema['~standard'].validate(given) as {
    readonly value?: unknown;
    readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
  };
  if (result instanceof Promise) throw new TypeError('settings must be validated without waiting');
  if (result.issues === undefined) return result.value as SettingsOf<S>;
  const problems = result.issues.map(({ path = [], message }) => {
    const [setting = '', ...rest] = path.map(nameIn);
    return `${[nameOf(setting), ...rest].join('.')}: ${message}`;
  });
  throw new RangeError(`settings are not valid: ${problems.join('; ')}`);
}

/** A step of a path is a key, or an object that has one. */
const nameIn = (step: unknown): string => String((step as { readonly key?: unknown } | null)?.key ?? step);
