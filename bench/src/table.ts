/** The rows as one table of plain text: measure, ours, peer, ratio, goal, ok, limit. */
import type { Row } from './measure.ts';
import type { Summary } from './statistics.ts';

const headings = ['measure', 'ours', 'peer', 'ratio', 'goal', 'ok', 'limit'];
const absent = '-';

/** Three significant digits, but no digit of a large number is hidden. */
const figure = (value: number): string =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const value = (number: number, unit: string): string => `${figure(number)} ${unit}`;

const side = ({ median, lowerQuartile, upperQuartile }: Summary, unit: string): string =>
  `${value(median, unit)} (${figure(lowerQuartile)} to ${figure(upperQuartile)})`;

/** A ratio has no unit; a goal for ours alone has that of ours. */
function goalOf({ goal, atMost, unit }: Row): string {
  if (atMost !== undefined) return value(atMost, unit);
  return goal === undefined ? absent : figure(goal);
}

function cells(row: Row): readonly string[] {
  const { measure, unit, ours, peer, ratio, ok, limit } = row;
  return [
    measure,
    side(ours, unit),
    peer ? side(peer, unit) : absent,
    ratio === undefined ? absent : ratio.toFixed(2),
    goalOf(row),
    ok === undefined ? absent : ok ? 'yes' : 'no',
    limit ? value(limit.median, unit) : absent,
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
