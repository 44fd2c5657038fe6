/** A plan as text for people: what each pass would do, and what all of them come to. Pure. */
import { type DiffLine, diffLines } from './object-diff.ts';
import {
  authored,
  idOf,
  masked,
  nameOfKind,
  type PlannedChange,
  type PlannedObject,
  type PlannedPass,
} from './planned-pass.ts';

/** How a plan is printed. */
export interface PlanPrintOptions {
  /** With the colours of a terminal. @default false */
  readonly color?: boolean | undefined;
}

type Color = 'red' | 'green' | 'yellow' | 'bold';

const codes: Readonly<Record<Color, readonly [number, number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  bold: [1, 22],
};

const signs = { create: '+', change: '~', delete: '-' } as const;
const colors = { '+': 'green', '-': 'red', '~': 'yellow', '!': 'red' } as const;

/** What a terminal would obey; texts of a cluster are others'. */
const controls = /\p{Cc}/gu;

function escaped(character: string): string {
  if (character === '\t') return character;
  if (character === '\n') return '\n      ';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * What one pass would do, as a diff of each object; empty when it would do nothing. The values of Secrets are not shown.
 *
 * @example
 * await createManager(operator, { config, plan: (pass) => process.stdout.write(printPlannedPass(pass)) }).start(signal);
 */
export function printPlannedPass(pass: PlannedPass, { color = false }: PlanPrintOptions = {}): string {
  const paint = (raw: string, how: Color | undefined) => {
    const text = raw.replaceAll(controls, escaped);
    const [on, off] = how === undefined || !color ? [] : codes[how];
    return on === undefined ? text : `\u001B[${on}m${text}\u001B[${off}m`;
  };
  const marked = (sign: keyof typeof colors, text: string) => paint(`${sign} ${text}`, colors[sign]);
  const nameOf = shortNames([pass, ...pass.changes]);
  const lines = [
    ...pass.changes.flatMap((change) => [
      marked(signs[change.type], `${nameOf(change)}${waitOf(change)}`),
      ...linesOf(change).map(({ sign, text }) => paint(`${sign}   ${text}`, sign === ' ' ? undefined : colors[sign])),
    ]),
    ...(pass.step === 'finalize' ? [marked('~', 'finalize would be called')] : []),
    ...pass.events.map(({ type, reason, message }) => marked('+', `Event ${type} ${reason}: ${message}`)),
    ...(pass.error ? [marked('!', `failed: ${pass.error.message}`)] : []),
  ];
  if (lines.length === 0) return '';
  return `${paint(nameOf(pass), 'bold')}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Objects by kind and key, and by the group too where two groups have a kind of that name. */
function shortNames(objects: readonly PlannedObject[]): (object: PlannedObject) => string {
  return ({ group, kind, key }) => {
    const isClear = objects.every((each) => each.kind !== kind || each.group === group);
    return `${isClear ? kind : nameOfKind({ group, kind })} ${key}`;
  };
}

/** Whom a deletion waits for. */
function waitOf({ type, after }: PlannedChange): string {
  const finalizers = type === 'delete' ? (after?.metadata.finalizers ?? []) : [];
  return finalizers.length === 0 ? '' : `, once ${finalizers.join(', ')} let it go`;
}

/** Of what would go, its name says enough. */
function linesOf({ type, before, after }: PlannedChange): readonly DiffLine[] {
  if (type === 'delete') return [];
  const [old, now] = masked(authored(before), authored(after));
  if (old === undefined) {
    const { apiVersion: _, kind: __, metadata, ...content } = now ?? {};
    // Whose it is follows from where it is shown.
    const { name: ___, namespace: ____, ownerReferences: _____, ...rest } = (metadata ?? {}) as Record<string, unknown>;
    return diffLines({}, { metadata: rest, ...content });
  }
  return diffLines(old, now);
}

/** `7 objects: 1 to create, 2 to change, 4 unchanged`. An object that several passes look at counts once. */
export function printPlanSummary(passes: readonly PlannedPass[]): string {
  const fate = new Map<string, string>();
  for (const { unchanged } of passes) for (const each of unchanged) fate.set(idOf(each), 'unchanged');
  for (const change of passes.flatMap(({ changes }) => changes)) {
    const id = idOf(change);
    // Made or deleted by one pass and changed by the next one, it is still to be made or deleted.
    const isDecided = change.type === 'change' && ['to create', 'to delete'].includes(fate.get(id) ?? '');
    if (!isDecided) fate.set(id, `to ${change.type}`);
  }
  for (const pass of passes) {
    if (pass.step === 'finalize') fate.set(idOf(pass), 'to finalize');
    if (pass.error !== undefined) fate.set(idOf(pass), 'failed');
  }
  const counted = ['to create', 'to change', 'to delete', 'to finalize', 'unchanged', 'failed'].flatMap((what) => {
    const count = [...fate.values()].filter((each) => each === what).length;
    return count === 0 ? [] : [`${count} ${what}`];
  });
  const objects = `${fate.size} ${fate.size === 1 ? 'object' : 'objects'}`;
  return counted.length === 0 ? objects : `${objects}: ${counted.join(', ')}`;
}
