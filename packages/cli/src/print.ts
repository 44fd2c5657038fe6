/** How answers look: columns, colours, JSON. */
import { styleText } from 'node:util';
import type { Shell } from './shell.ts';

/** In a colour, where standard output takes colours. */
export function painted({ color }: Shell, style: Parameters<typeof styleText>[0], text: string): string {
  return color ? styleText(style, text, { validateStream: false }) : text;
}

/** Rows with a head, each column as wide as its widest cell, and the last as it is. */
export function table(shell: Shell, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${[painted(shell, 'bold', line(head)), ...rows.map(line)].join('\n')}\n`;
}

/** One value, for scripts. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
