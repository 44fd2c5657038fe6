/** Line breaking as biome does it, so that the output needs no formatter. */

const width = 120;

export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A member of a union. An array or a map has members of its own, which may need lines of their own. */
export type Member = string | { readonly of: 'array' | 'map'; readonly members: readonly Member[] };

/** A union behind `head`: on one line, or a line for each member. */
export function union(head: string, members: readonly Member[], tail: string): string {
  const single = `${head} ${inline(members)}${tail}`;
  if (single.length <= width) return single;
  if (members.length === 1) throw new Error(`no layout for a long line: ${single}`);
  const indent = `${/^ */.exec(head)?.[0]}  `;
  return `${head}\n${members.map((member) => `${indent}| ${block(member, indent)}`).join('\n')}${tail}`;
}

/** Members on one line. */
export function inline(members: readonly Member[]): string {
  return members
    .map((member) => {
      if (typeof member === 'string') return member;
      const inner = inline(member.members);
      if (member.of === 'map') return `{ readonly [key: string]: ${inner} }`;
      return `readonly ${member.members.length > 1 || inner.startsWith('readonly ') ? `(${inner})` : inner}[]`;
    })
    .join(' | ');
}

/** A member on a line that begins with `indent`, or on several when it is too long. */
function block(member: Member, indent: string): string {
  const single = inline([member]);
  if (typeof member === 'string' || `${indent}| ${single}`.length <= width) return single;
  const members = (margin: string) => member.members.map((one) => `${indent}${margin}| ${inline([one])}`).join('\n');
  return member.of === 'array'
    ? `readonly (\n${members('    ')}\n${indent}  )[]`
    : `{\n${indent}    readonly [key: string]:\n${members('      ')};\n${indent}  }`;
}

/** A list in brackets: on one line, or a line for each item. The brackets end `open` and begin `close`. */
export function list(open: string, items: readonly string[], close: string): string {
  const single = `${open}${items.join(', ')}${close}`;
  if (single.length <= width) return single;
  const indent = /^ */.exec(open)?.[0] ?? '';
  return `${open.trimEnd()}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close.trimStart()}`;
}

/** The first line of an interface, or two. */
export function heritage(head: string, clause: string): string {
  return `${head}${head.length + 1 + clause.length <= width ? ' ' : '\n  '}${clause}\n`;
}
