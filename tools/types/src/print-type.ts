/** Types and properties as TypeScript. */
import { comment } from './comment.ts';
import type { Imports } from './imports.ts';
import { type Member, quote, union } from './layout.ts';
import type { Property, Type } from './model.ts';

/** The members of a type seen as a union: most types have one. */
export function membersOf(type: Type, imports: Imports): readonly Member[] {
  switch (type.type) {
    case 'primitive':
      return [type.name];
    case 'literals':
      return type.values.map(quote);
    case 'array':
      return [{ of: 'array', members: membersOf(type.items, imports) }];
    case 'map':
      return [{ of: 'map', members: membersOf(type.values, imports) }];
    case 'union':
      return type.members.flatMap((member) => membersOf(member, imports));
    case 'reference':
      return [imports.use(type.module, type.name)];
    default:
      return type satisfies never;
  }
}

/** A property of an interface, with its documentation. */
export function printProperty(property: Property, imports: Imports): string {
  const { name, description, isRequired, isNullable, type } = property;
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
  const members = [...membersOf(type, imports), ...(isNullable ? ['null'] : [])];
  const head = `  readonly ${key}${isRequired ? '' : '?'}:`;
  return `${comment(description, '  ')}${union(head, isRequired || isUnknown(type) ? members : [...members, 'undefined'], ';')}\n`;
}

function isUnknown(type: Type): boolean {
  return type.type === 'primitive' && type.name === 'unknown';
}
