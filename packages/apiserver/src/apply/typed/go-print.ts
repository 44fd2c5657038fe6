/** How Go prints JSON values, for messages that quote them. */

import { compareText, type Notation, printJson } from '@keelson/core/fields';
import { goNumber } from '@keelson/schema/validation';
import { isObject } from '../../object.ts';
import { isList, type Json } from './json.ts';

const names: Notation['names'] = (object) => Object.keys(object).sort(compareText);

/** `%v` */
export function goPrint(value: Json): string {
  return printJson(value, {
    list: ['[', ' ', ']'],
    object: ['map[', ' ', ']'],
    names,
    name: (name) => `${name}:`,
    scalar: (each) => (typeof each === 'number' ? goNumber(each) : String(each ?? '<nil>')),
  });
}

/** `%#v` */
export function goSyntax(value: Json): string {
  return printJson(value, {
    list: ['[]interface {}{', ', ', '}'],
    object: ['map[string]interface {}{', ', ', '}'],
    names,
    name: (name) => `${JSON.stringify(name)}:`,
    scalar: (each) =>
      typeof each === 'number' ? goNumber(each) : (JSON.stringify(each ?? undefined) ?? 'interface {}(nil)'),
  });
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
