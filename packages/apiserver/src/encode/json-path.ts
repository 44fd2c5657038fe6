/**
 * JSONPath, as far as printer columns and selectable fields use it: members, quoted members, indexes, `[*]`, and filters
 * that compare a member with a literal, such as `.status.conditions[?(@.type=="Ready")].status`.
 */
import { isObject } from '../object.ts';

type Step = (values: readonly unknown[]) => readonly unknown[];

const members =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isObject(value) && name in value ? [value[name]] : []));

const all: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []));

const item =
  (index: number): Step =>
  (values) =>
    values.flatMap((value) => {
      const found: unknown = Array.isArray(value) ? value.at(index) : undefined;
      return found === undefined ? [] : [found];
    });

function filtered(expression: string): Step {
  const match = /^@\.(?<path>[\w.-]+)\s*(?:(?<operator>==|!=)\s*(?<literal>.+?))?$/.exec(expression.trim())?.groups;
  if (match === undefined) throw new TypeError(`unsupported filter ${expression}`);
  const { path = '', operator, literal } = match;
  const expected = literal === undefined ? undefined : literalOf(literal);
  const read = path.split('.').map(members);
  return (values) =>
    all(values).filter((value) => {
      const [found] = read.reduce<readonly unknown[]>((at, step) => step(at), [value]);
      if (operator === undefined) return found !== undefined;
      return (found === expected) === (operator === '==');
    });
}

function literalOf(text: string): unknown {
  const quoted = /^(?:'(?<single>.*)'|"(?<double>.*)")$/.exec(text)?.groups;
  if (quoted !== undefined) return quoted.single ?? quoted.double;
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError(`unsupported literal ${text}`);
  }
}

const token =
  /^(?:\.(?<member>(?:\\.|[^.[\]\\])+)|\[(?<index>-?\d+)\]|\[(?<all>\*)\]|\['(?<quoted>[^']*)'\]|\["(?<doubled>[^"]*)"\]|\[\?\((?<filter>.+?)\)\])/;

/** Compiles a path that begins with a dot; throws a TypeError for one that it does not understand. */
export function compilePath(path: string): (value: unknown) => readonly unknown[] {
  const steps: Step[] = [];
  let rest = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
  while (rest !== '' && rest !== '.') {
    const match = token.exec(rest);
    const groups = match?.groups;
    if (match === null || groups === undefined) throw new TypeError(`cannot read ${rest} in ${path}`);
    const { member, index, quoted, doubled, filter } = groups;
    if (member === '*') steps.push(all);
    else if (member !== undefined) steps.push(members(member.replaceAll(/\\(.)/g, '$1')));
    else if (index !== undefined) steps.push(item(Number(index)));
    else if (filter !== undefined) steps.push(filtered(filter));
    else if (quoted !== undefined || doubled !== undefined) steps.push(members(quoted ?? doubled ?? ''));
    else steps.push(all);
    rest = rest.slice(match[0].length);
  }
  return (value) => steps.reduce<readonly unknown[]>((at, step) => step(at), [value]);
}
