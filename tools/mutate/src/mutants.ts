/**
 * Mutants: the small wrong edits of a source that a test should notice. Pure: text in, edits out, always in one order.
 *
 * Does not: touch types and imports, sentences (they are for people), regular expressions, what cannot be reached
 * (`satisfies never`), literals that are defaults of a pattern (`const [first = ''] = …`), which types ask for, or
 * `{ once: true }`, since a signal is aborted once.
 */
import { parseSync, visitorKeys } from 'oxc-parser';

/** One edit. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  /** What stands there instead. */
  readonly text: string;
  /** Whether a whole statement is replaced, or an expression. */
  readonly isStatement: boolean;
  /** The line of `start`, from 1. */
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** The property of `parent` that holds it. */
  readonly key: string;
  /** The text of a node. */
  readonly textOf: (node: Node) => string;
}

/** What a node becomes, one entry for each mutant. */
type Operator = (place: Place) => readonly string[];

const swapped = new Map<unknown, readonly string[]>(
  Object.entries({
    '===': ['!=='],
    '!==': ['==='],
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '&&': ['||'],
    '||': ['&&'],
    '+=': ['-='],
    '-=': ['+='],
    '??=': ['='],
  }),
);

const otherMethods = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
);
/** Calls that may be left out: what they are called on has the same type, or nearly. */
const omitted = new Set(['filter', 'sort', 'toSorted', 'reverse', 'slice', 'trim', 'flat', 'toLowerCase', 'join']);

const operators: Readonly<Record<string, Operator>> = {
  BinaryExpression: binary,
  LogicalExpression: ({ node, textOf }) => {
    const [left, right] = [textOf(child(node, 'left')), textOf(child(node, 'right'))];
    if (node.operator === '??') return [left, right];
    return (swapped.get(node.operator) ?? []).map((operator) => `${left} ${operator} ${right}`);
  },
  AssignmentExpression: ({ node, textOf }) =>
    (swapped.get(node.operator) ?? []).map(
      (operator) => `${textOf(child(node, 'left'))} ${operator} ${textOf(child(node, 'right'))}`,
    ),
  UpdateExpression: ({ node, textOf }) => [textOf(node).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++'))],
  UnaryExpression: ({ node, textOf }) =>
    ['!', '-'].includes(String(node.operator)) ? [textOf(child(node, 'argument'))] : [],
  AwaitExpression: ({ node, textOf }) => [textOf(child(node, 'argument'))],
  ChainExpression: ({ node, textOf }) => [textOf(node).replace(/\?\.([[(])?/, (_, bracket) => bracket ?? '.')],
  CallExpression: call,
  Literal: literal,
  TemplateLiteral: ({ node }) => (isProse(node) ? [] : [`''`]),
  ArrayExpression: ({ node }) => ((node.elements as unknown[]).length > 0 ? ['[]'] : []),
  ObjectExpression: ({ node }) => ((node.properties as unknown[]).length > 0 ? ['{}'] : []),
};

const statementOperators: Readonly<Record<string, Operator>> = {
  ExpressionStatement: () => [''],
  ThrowStatement: () => [''],
  ContinueStatement: () => [''],
  BreakStatement: () => [''],
  ReturnStatement: ({ node }) => {
    if (node.argument === null) return [''];
    return isMutated(child(node, 'argument')) ? [] : ['return;'];
  },
};

/** The mutants of a module. */
export function mutantsOf(text: string): readonly Mutant[] {
  const { program, errors } = parseSync('module.ts', text);
  if (errors[0] !== undefined) throw new SyntaxError(errors[0].message);
  const found: Mutant[] = [];
  const textOf = ({ start, end }: Node) => text.slice(start, end);
  const add = ({ start, end }: Node, edits: readonly string[], isStatement: boolean) => {
    const line = text.slice(0, start).split('\n').length;
    for (const edit of new Set(edits)) {
      if (edit !== text.slice(start, end)) found.push({ start, end, text: edit, isStatement, line });
    }
  };
  const visit = (place: Place) => {
    const { node, parent, key } = place;
    if (isSkipped(place)) return;
    const isTest = isCondition(parent, key);
    if (isTest) add(node, isLoop(parent) ? ['false'] : ['true', 'false'], false);
    // A condition that is forced both ways need not be negated, too.
    if (!isTest || node.type === 'LogicalExpression') add(node, operators[node.type]?.(place) ?? [], false);
    add(node, statementOperators[node.type]?.(place) ?? [], true);
    if (node.type === 'ArrowFunctionExpression' && child(node, 'body').type !== 'BlockStatement') {
      if (!isMutated(child(node, 'body'))) add(child(node, 'body'), ['undefined'], false);
    }
    for (const name of visitorKeys[node.type] ?? []) {
      for (const each of [node[name]].flat()) if (isNode(each)) visit({ node: each, parent: node, key: name, textOf });
    }
  };
  visit({ node: program as unknown as Node, parent: undefined, key: '', textOf });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

function binary({ node, textOf }: Place): readonly string[] {
  const [left, right] = [child(node, 'left'), child(node, 'right')];
  const isText = [left, right].some(({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string');
  if (node.operator === '+' && isText) return [];
  return (swapped.get(node.operator) ?? []).map((operator) => `${textOf(left)} ${operator} ${textOf(right)}`);
}

function call({ node, textOf }: Place): readonly string[] {
  const callee = child(node, 'callee');
  if (callee.type !== 'MemberExpression' || callee.computed === true) return [];
  const [object, property] = [child(callee, 'object'), child(callee, 'property')];
  const name = textOf(property);
  if (omitted.has(name)) return [textOf(object)];
  const other = otherMethods.get(name);
  if (other === undefined) return [];
  const before = textOf(node).slice(0, property.start - node.start);
  return [`${before}${other}${textOf(node).slice(property.end - node.start)}`];
}

function literal({ node, parent }: Place): readonly string[] {
  const { value } = node;
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value === 'number') return parent?.type === 'UnaryExpression' ? [] : [String(other(value))];
  const isTypeName = isNode(parent?.left) && parent.left.operator === 'typeof';
  if (typeof value !== 'string' || isTypeName || isProse(node)) return [];
  return [`''`];
}

/** A small number has neighbours; of a large one, such as a time or a size, the order of magnitude counts. */
const other = (value: number): number => (value < 10 ? value + 1 : 2 * value);

/** Whether an expression is mutated itself, so that returning nothing instead would tell nothing new. */
function isMutated(node: Node): boolean {
  if (node.type === 'ParenthesizedExpression' || erased.has(node.type)) return isMutated(child(node, 'expression'));
  if (node.type === 'Identifier') return node.name === 'undefined';
  return node.type === 'ConditionalExpression' || (node.type !== 'CallExpression' && node.type in operators);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function child(node: Node, key: string): Node {
  const value = node[key];
  if (isNode(value)) return value;
  throw new TypeError(`A ${node.type} has no ${key}.`);
}

const conditional = new Set([
  'IfStatement',
  'ConditionalExpression',
  'WhileStatement',
  'DoWhileStatement',
  'ForStatement',
]);
const isCondition = (parent: Node | undefined, key: string): boolean =>
  key === 'test' && parent !== undefined && conditional.has(parent.type);
const isLoop = (parent: Node | undefined): boolean => /While|For/.test(parent?.type ?? '');

/** Wrappers that are erased, around what is not. */
const erased = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

function isSkipped({ node, parent, key, textOf }: Place): boolean {
  if (node.type === 'Program') return false;
  const isModule =
    /^(Import|ExportAll)/.test(node.type) || (parent?.type === 'ExportNamedDeclaration' && key === 'source');
  const isType = node.type.startsWith('TS') && !erased.has(node.type);
  const isName = key === 'key' && parent?.computed === false;
  // What types ask for, in a place where there is always a value.
  const isDefault = key === 'right' && parent?.type === 'AssignmentPattern' && node.type === 'Literal';
  // What is aborted once is not aborted again.
  const isOnce = textOf(node) === '{ once: true }';
  return isModule || isType || isName || isDefault || isOnce || /satisfies never;?$/.test(textOf(node));
}

/** Whether a text is a sentence. */
function isProse({ value, quasis }: Node): boolean {
  if (typeof value === 'string') return value.includes(' ');
  return Array.isArray(quasis) && quasis.some((each) => isNode(each) && /\S \S/.test(JSON.stringify(each.value)));
}
