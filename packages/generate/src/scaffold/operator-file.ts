/**
 * `src/operator.ts`: the one file that a new controller or webhook changes, in its list of them.
 *
 * Promises: a text in which that list is not to be found stays as it is, and so does every line but the new ones.
 */
import { controllerPath } from './controller-files.ts';
import { kindPath } from './kind-files.ts';
import { controllerIdentifier, operatorIdentifier, webhookIdentifier } from './names.ts';
import type { ScaffoldFile } from './scaffold-file.ts';
import { quoted } from './text.ts';
import { webhookPath } from './webhook-files.ts';

/** What is added: a line among the imports or below them, and, for a controller or a webhook, an entry in its list. */
export interface OperatorAddition {
  readonly line: string;
  readonly entry?: string | undefined;
  /** @default controllers */
  readonly list?: 'controllers' | 'webhooks' | undefined;
}

export function operatorFile(name: string, kind: string): ScaffoldFile {
  const { line, entry } = controllerAddition(kind);
  const text = `/** The operator as a value: what the process, the tests and \`keelson\` import. It starts nothing. */
import { operator } from '@keelson/core';
${line}

export const ${operatorIdentifier(name)} = operator({
  name: ${quoted(name)},
  controllers: [${entry}],
});
`;
  return { path: 'src/operator.ts', text };
}

export function controllerAddition(kind: string): OperatorAddition {
  const entry = controllerIdentifier(kind);
  return { line: `import { ${entry} } from '${relative(controllerPath(kind))}';`, entry };
}

export function webhookAddition(kind: string): OperatorAddition {
  const entry = webhookIdentifier(kind);
  return { line: `import { ${entry} } from '${relative(webhookPath(kind))}';`, entry, list: 'webhooks' };
}

/** A kind without a controller here: exported beside the operator, it is installed and generated with it. */
export function kindAddition(kind: string): OperatorAddition {
  return { line: `export { ${kind} } from '${relative(kindPath(kind))}';` };
}

/** The variable of the operator that the text exports. */
export function operatorIn(text: string): string | undefined {
  return /^export const (\w+) = operator\(\{$/m.exec(text)?.[1];
}

/** The text with the addition, unless it has it; `undefined` where its place is not to be found. */
export function withAddition(
  text: string,
  { line, entry, list: kindOfList = 'controllers' }: OperatorAddition,
): string | undefined {
  const isThere = text.includes(line) && (entry === undefined || mentions(text.replace(line, ''), entry));
  if (isThere) return text;
  const imports = [...text.matchAll(/^import\b(?!\s*[(.])[^;'"]*['"][^'"]+['"].*\r?\n/gm)];
  const last = imports.at(-1);
  if (last === undefined) return undefined;
  const end = last.index + last[0].length;
  const lineEnd = last[0].endsWith('\r\n') ? '\r\n' : '\n';
  if (entry === undefined) return `${text.slice(0, end)}${lineEnd}${line}${lineEnd}${text.slice(end)}`;
  const change = longerList(text, kindOfList, entry, lineEnd);
  if (change === undefined || change.index < end) return undefined;
  // Where tools that sort imports would put it.
  const place = imports.find(([other]) => moduleOf(other).startsWith('./') && moduleOf(other) > moduleOf(line))?.index;
  const at = place ?? end;
  const after = text.slice(change.index + change.length);
  return `${text.slice(0, at)}${line}${lineEnd}${text.slice(at, change.index)}${change.text}${after}`;
}

/** What takes the place of which part of a text. */
interface Replacement {
  readonly index: number;
  readonly length: number;
  readonly text: string;
}

/** The one list of that name with one more entry; the first webhook begins a list below that of the controllers. */
function longerList(
  text: string,
  name: 'controllers' | 'webhooks',
  entry: string,
  lineEnd: string,
): Replacement | undefined {
  const listsOf = (of: string) => [...text.matchAll(new RegExp(`^( *)${of}: \\[([\\w\\s,]*)\\]`, 'gm'))];
  const lists = listsOf(name);
  const [list] = lists;
  if (lists.length > 1) return undefined;
  if (list !== undefined) {
    return { index: list.index, length: list[0].length, text: longer(list, name, entry, lineEnd) };
  }
  const [controllers, second] = listsOf('controllers');
  const isElsewhere = new RegExp(`\\b${name}\\b`).test(text);
  if (name === 'controllers' || isElsewhere || controllers === undefined || second !== undefined) return undefined;
  const [all, indent = ''] = controllers;
  return { index: controllers.index, length: all.length, text: `${all},${lineEnd}${indent}${name}: [${entry}]` };
}

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
const moduleOf = (line: string): string => /from ['"](.*)['"]/.exec(line)?.[1] ?? '';

/** The list with one more entry, on one line as long as that is short. */
function longer([, indent = '', entries = '']: RegExpExecArray, name: string, entry: string, lineEnd: string): string {
  const all = [...entries.split(',').map((each) => each.trim()), entry].filter((each) => each !== '');
  const line = `${indent}${name}: [${all.join(', ')}]`;
  if (!entries.includes('\n') && line.length < 120) return line;
  return [`${indent}${name}: [`, ...all.map((each) => `${indent}  ${each},`), `${indent}]`].join(lineEnd);
}

const relative = (path: string): string => `./${path.slice('src/'.length)}`;
