/**
 * JSON values as YAML, in the form that kubectl prints: two spaces, lists at the level of their key, no line is folded.
 *
 * Promises: readers of YAML 1.1 and of 1.2 get the same value back. A text that one of them could take for something
 * else (`on`, `1e3`, `0o7`, a date) is quoted.
 *
 * By hand, since `stringify` of the package `yaml` writes for readers of one version (docs/adr/0030).
 */

/**
 * What a chart puts among the values: expressions that Helm fills in. Printed as they are, so that whoever makes one sees
 * to its quotes. `INNER` in one stands for the indentation of what belongs to its field, `HERE` for its own.
 */
export class Template {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A field or an item that is there only under a condition of Helm's, such as `if $.Values.webhooks.enabled`. */
export class Guarded {
  readonly condition: string;
  readonly value: unknown;
  constructor(condition: string, value: unknown) {
    this.condition = condition;
    this.value = value;
  }
}

/** Lines of a chart in place of a field or an item; the name of the field is not printed. */
export class Inserted {
  readonly lines: readonly string[];
  constructor(...lines: readonly string[]) {
    this.lines = lines;
  }
}

/** One document of a chart, ending with a newline. */
export function printTemplate(value: unknown): string {
  return printYaml(value).replaceAll(
    /^((?: |- )*)(.*)nindent (INNER|HERE)/gm,
    (_, spaces: string, text: string, place) => {
      return `${spaces}${text}nindent ${spaces.length + (place === 'INNER' ? 2 : 0)}`;
    },
  );
}

/** One document, ending with a newline. */
export function printYaml(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

/** A text as comments, wherever some reader of YAML sees the end of a line. */
export const commentLines = (text: string): readonly string[] =>
  text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => `# ${line}`);

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap(itemLines);
  if (isFilledObject(value)) return fieldsOf(value).flatMap(([name, field]) => fieldLines(name, field));
  return scalarLines(value);
}

function fieldLines(name: string, value: unknown): readonly string[] {
  if (value instanceof Guarded) return guarded(value, fieldLines(name, value.value));
  if (value instanceof Inserted) return value.lines;
  const lines = linesOf(value);
  if (Array.isArray(value) && value.length > 0) return [`${keyText(name)}:`, ...lines];
  if (isFilledObject(value)) return [`${keyText(name)}:`, ...lines.map(indented)];
  return [`${keyText(name)}: ${lines[0]}`, ...lines.slice(1).map(indented)];
}

function itemLines(value: unknown): readonly string[] {
  if (value instanceof Guarded) return guarded(value, itemLines(value.value));
  if (value instanceof Inserted) return value.lines;
  const [first = '', ...rest] = linesOf(value);
  return [`- ${first}`, ...rest.map(indented)];
}

const guarded = ({ condition }: Guarded, lines: readonly string[]) => [`{{- ${condition} }}`, ...lines, '{{- end }}'];

const indented = (line: string): string => (line === '' ? '' : `  ${line}`);

const fieldsOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, field]) => field !== undefined);

const isFilledObject = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Template) &&
  fieldsOf(value).length > 0;

function scalarLines(value: unknown): readonly string[] {
  if (typeof value === 'string') return textLines(value);
  if (value instanceof Template) return [value.text];
  if (Array.isArray(value)) return ['[]'];
  return [typeof value === 'object' && value !== null ? '{}' : JSON.stringify(value ?? null)];
}

/** Several lines stand as they are, if nothing invisible in them would be lost. */
function textLines(text: string): readonly string[] {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n');
  const isBlock =
    lines.length > 1 && /^\S/.test(text) && lines.every((line) => /^(.*\S)?$/.test(line) && isVisible(line));
  if (!isBlock || body.endsWith('\n')) return [oneLine(text)];
  return [text === body ? '|-' : '|', ...lines];
}

function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return isVisible(text) && !text.includes("'") ? `'${text}'` : quoted(text);
}

const keyText = oneLine;

const reserved = /^(null|true|false|yes|no|on|off|y|n)$/i;

/** It begins as no number, date or indicator does, and nothing in it looks like a key or a comment. */
const isPlain = (text: string): boolean =>
  /^([A-Za-z_/]|\.[A-Za-z]|--[A-Za-z]|\d+(m|Ki|Mi|Gi)$)/.test(text) &&
  isVisible(text) &&
  !/: |:$| #| $/.test(text) &&
  !reserved.test(text) &&
  !/^\.(inf|nan)$/i.test(text);

const isVisible = (text: string): boolean =>
  /^[ \p{L}\p{N}\p{P}\p{S}]*$/u.test(text) && /^[^\ufeff\ufffe\uffff]*$/.test(text);

/** YAML has the escapes of JSON; a line separator would break the line for a reader of YAML 1.1. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
