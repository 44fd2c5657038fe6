/** Descriptions as documentation comments. */

const width = 120;

/** A JSDoc comment of one or more lines, indented, with its line break; empty when there is nothing to say. */
export function comment(description: string | undefined, indent = ''): string {
  // `Deprecated:` at the start of a paragraph is Go's tag for it; descriptions do contain the end of a comment.
  const text =
    description
      ?.trim()
      .replaceAll('*/', '*\\/')
      .replaceAll(/^Deprecated: /gm, '@deprecated ') ?? '';
  if (text === '') return '';
  const single = `${indent}/** ${text} */`;
  if (single.length <= width && !text.includes('\n')) return `${single}\n`;
  const lines = text.split('\n').flatMap((line) => wrap(line, width - indent.length - ' * '.length));
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ''].join('\n');
}

/** The words of one line over as many lines as they need; a line that fits keeps its spaces, for it may be a table. */
function wrap(line: string, limit: number): readonly string[] {
  const margin = (/^\s*/.exec(line)?.[0] ?? '').replaceAll('\t', '  ');
  const whole = margin + line.trim();
  if (whole.length <= limit) return [whole];
  const lines: string[] = [];
  let current = '';
  for (const word of line.trim().split(/\s+/)) {
    if (current !== '' && margin.length + current.length + 1 + word.length > limit) {
      lines.push(margin + current);
      current = '';
    }
    current += current === '' ? word : ` ${word}`;
  }
  return [...lines, margin + current];
}
