/** JSON of any depth: what is deeper than the stack of `JSON.stringify` is written by a list instead. */
import { type Notation, printJson } from '@keelson/core/fields';
import type { ApiObject } from './object.ts';

const plain: Notation = {
  list: ['[', ',', ']'],
  object: ['{', ',', '}'],
  names: (object) => Object.keys(object).filter((name) => object[name] !== undefined),
  name: (name) => `${JSON.stringify(name)}:`,
  scalar: (value) => JSON.stringify(value) ?? 'null',
};

export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return printJson(value, plain);
  }
}

/** `kind` and `apiVersion` come first, so that they can be cut off. */
export const encodeObject = ({ kind, apiVersion, ...rest }: ApiObject): Buffer =>
  Buffer.from(jsonText({ kind, apiVersion, ...rest }));
