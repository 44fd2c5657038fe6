/**
 * Fields of a value as rules name them, checked by the compiler: in a template, `${self.size}` is `self.size`.
 *
 * The CEL around them is text, and is judged when the kind is defined.
 */
import { escapeName } from '../cel/language/escape-name.ts';

/** Where a field keeps its path, apart from the names of its own fields. */
const pathOf: unique symbol = Symbol('path');

/** A field of any type, as a template or `fieldPath` takes it. */
export interface AnyRuleField {
  readonly [pathOf]: readonly string[];
}

type Scalar = string | number | boolean | bigint | readonly unknown[];
type NameIn<T> = T extends Scalar ? never : T extends object ? keyof T & string : never;
type ValueIn<T, Name> = T extends { readonly [N in Name & string]?: infer Value } ? Value : never;

/** A field with the fields inside it; of a union, those of all options. */
export type RuleField<T> = AnyRuleField & { readonly [Name in NameIn<T>]-?: RuleField<NonNullable<ValueIn<T, Name>>> };

/** `root` is `self` or `oldSelf`. */
export function ruleField<T>(root: string, path: readonly string[] = []): RuleField<T> {
  const text = [root, ...path.map((name) => escapeName(name) ?? name)].join('.');
  return new Proxy({} as RuleField<T>, {
    get: (_, name) => {
      if (name === pathOf) return path;
      if (typeof name === 'string') return ruleField(root, [...path, name]);
      return name === Symbol.toPrimitive ? () => text : undefined;
    },
  });
}

/** As `fieldPath` of a rule names it: `.port`, or `['app.example.com']`. */
export function fieldPathOf(field: AnyRuleField): string {
  return field[pathOf].map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join('');
}

/** As people name it: `tls.secret`. */
export function nameOf(field: AnyRuleField): string {
  return field[pathOf].join('.');
}
