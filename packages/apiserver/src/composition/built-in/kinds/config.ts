/** ConfigMaps and Secrets: keys, sizes, and content that was declared final. */

import { equalJson } from '@keelson/core';
import { configKeyProblems, forbiddenField, invalidValue, type Problem, tooLong } from '@keelson/schema/validation';
import { type ApiObject, at, without } from '../../../object.ts';
import { configMapTable, secretTable } from '../tables/core.ts';
import { fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const maxBytes = 1024 * 1024;
type Data = Readonly<Record<string, string>>;

const keyProblems = (data: Data, field: string): readonly Problem[] =>
  Object.keys(data).flatMap((key) =>
    configKeyProblems(key).map((problem) => invalidValue(`${field}[${key}]`, key, problem)),
  );

const finalProblems = (object: ApiObject, old: ApiObject, ...names: readonly string[]): readonly Problem[] => {
  if (old.immutable !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', why)]),
    ...names.flatMap((name) => (equalJson(object[name], old[name]) ? [] : [forbiddenField(name, why)])),
  ];
};

const base64Bytes = (text: string): number => Buffer.byteLength(text, 'base64');

export const configMap: KindRules = {
  validate(object) {
    const data = (object.data ?? {}) as Data;
    const binary = (object.binaryData ?? {}) as Data;
    const size =
      Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
      Object.values(binary).reduce((sum, value) => sum + base64Bytes(value), 0);
    return [
      ...keyProblems(data, 'data'),
      ...Object.keys(data)
        .filter((key) => Object.hasOwn(binary, key))
        .map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
      ...keyProblems(binary, 'binaryData'),
      ...(size > maxBytes ? [tooLong('[]', maxBytes)] : []),
    ];
  },
  validateUpdate: (object, old) => finalProblems(object, old, 'data', 'binaryData'),
  table: configMapTable,
};

/** `stringData` is a way to write, and never read: it becomes `data`. */
function merged(object: ApiObject): ApiObject {
  const strings = object.stringData as Data | undefined;
  if (strings === undefined) return object;
  const encoded = Object.fromEntries(
    Object.entries(strings).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { ...without(object, 'stringData'), data: { ...(object.data as Data | undefined), ...encoded } };
}

export const secret: KindRules = {
  default: (object) => fill(merged(object), { type: 'Opaque' }),
  validate(object) {
    const data = (object.data ?? {}) as Data;
    const size = Object.values(data).reduce((sum, value) => sum + base64Bytes(value), 0);
    return [...keyProblems(data, 'data'), ...(size > maxBytes ? [tooLong('data', maxBytes)] : [])];
  },
  validateUpdate: (object, old) => [
    ...(object.type === old.type ? [] : [invalidValue('type', object.type, 'field is immutable')]),
    ...finalProblems(object, old, 'data'),
  ],
  fields: { type: (object) => String(at(object, 'type') ?? '') },
  shortUnknownField: true,
  table: secretTable,
};
