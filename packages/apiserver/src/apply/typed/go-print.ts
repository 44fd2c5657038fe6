/** How Go prints JSON values, for messages that quote them. */

import { compareText } from '@keelson/core/fields';
import { isObject } from '../../object.ts';
import { isList, type Json } from './json.ts';

/** `%v` */
export function goPrint(value: Json): string {
  if (isList(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (!isObject(value)) return value === null || value === undefined ? '<nil>' : String(value);
  const names = Object.keys(value).sort(compareText);
  return `map[${names.map((name) => `${name}:${goPrint(value[name])}`).join(' ')}]`;
}

/** `%#v` */
export function goSyntax(value: Json): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const names = Object.keys(value).sort(compareText);
  return `map[string]interface {}{${names.map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`).join(', ')}}`;
}

/** `%T` */
export function goType(value: Json): string {
  if (isObject(value)) return 'map[string]interface {}';
  if (isList(value)) return '[]interface {}';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'string':
      return 'string';
    default:
      return '<nil>';
  }
}
