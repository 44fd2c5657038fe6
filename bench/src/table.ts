/** The rows as one table of plain text: measure, ours, peer, ratio, goal, ok. */
import type { Row } from './measure.ts';
import type { Summary } from './statistics.ts';

const headings = ['measure', 'ours', 'peer', 'ratio', 'goal', 'ok'];
const absent = '-';

/** Three significant digits, but no digit of a large number is hidden. */
const figure = (value: number): string =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const side = ({ median, lowerQuartile, upperQuartile }: Summary, unit: string): string =>
  `${figure(median)} ${unit} (${figure(lowerQuartile)} to ${figure(upperQuartile)})`;

function cells({ measure, unit, ours, peer, ratio, goal, ok }: Row): readonly string[] {
  return [
    measure,
    side(ours, unit),
    peer ? side(peer, unit) : absent,
    ratio === undefined ? absent : ratio.toFixed(2),
    goal === undefined ? absent : figure(goal),
    ok === undefined ? absent : ok ? 'yes' : 'no',
  ];
}

export function table(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cells)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
