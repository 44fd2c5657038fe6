/** What expressions can use: functions with their overloads, and names of types. */
import type { CallCost, CallEstimate } from './cost.ts';
import { parseType, splitParams, type Type } from './types.ts';
import type { Value } from './values.ts';

/** A function for arguments of these types. */
export interface Overload {
  readonly id: string;
  readonly isMethod: boolean;
  /** The receiver first, for a method. */
  readonly args: readonly Type[];
  readonly result: Type;
  /** Gets no errors, unless the overload is `lazy`, which the evaluator does itself. */
  readonly run: (...args: readonly Value[]) => Value;
  /** What a call costs; 1 where nothing is said. */
  readonly cost: CallCost | undefined;
  readonly estimate: CallEstimate | undefined;
}

/** Functions that belong together. */
export type Library = readonly (readonly [name: string, overload: Overload])[];

/**
 * An overload by its signature: `string.startsWith(string): bool` for a method, `size(string): int` for a function.
 * Operators stand in quotes: `'_+_'(int, int): int`.
 */
export function overload(
  signature: string,
  run: Overload['run'],
  options: { readonly id?: string; readonly cost?: CallCost; readonly estimate?: CallEstimate } = {},
): readonly [string, Overload] {
  const [, receiver, quoted, plain, args = '', result = ''] =
    /^(?:([\w.]+(?:<.*?>+)?)\.)?(?:'([^']+)'|([\w@]+))\((.*)\): (.+)$/.exec(signature) ?? [];
  const name = quoted ?? plain ?? '';
  const types = splitParams(args).map(parseType);
  return [
    name,
    {
      id: options.id ?? signature,
      isMethod: receiver !== undefined,
      args: receiver === undefined ? types : [parseType(receiver), ...types],
      result: parseType(result),
      run,
      cost: options.cost,
      estimate: options.estimate,
    },
  ];
}

/** Everything that expressions can use. */
export interface Environment {
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Identifiers that are there without being declared: types, such as `int`. */
  readonly identifiers: ReadonlyMap<string, Type>;
  /** Types of which expressions can make values, `Name{field: value}`, by their name. */
  readonly structs?: ((name: string) => Constructible | undefined) | undefined;
}

/** A type of which expressions can make values. */
export interface Constructible {
  readonly fieldType: (name: string) => Type | undefined;
  readonly make: (fields: ReadonlyMap<string, Value>) => Value;
}

/** The functions of all libraries together. */
export function environment(libraries: readonly Library[], identifiers: ReadonlyMap<string, Type>): Environment {
  const functions = new Map<string, Overload[]>();
  for (const [name, each] of libraries.flat()) {
    const known = functions.get(name);
    if (known === undefined) functions.set(name, [each]);
    else known.push(each);
  }
  return { functions, identifiers };
}

/** One environment and the functions and names of another. */
export function extended(base: Environment, { functions, identifiers }: Environment): Environment {
  const all = new Map(base.functions);
  for (const [name, overloads] of functions) all.set(name, [...(all.get(name) ?? []), ...overloads]);
  return { ...base, functions: all, identifiers: new Map([...base.identifiers, ...identifiers]) };
}
