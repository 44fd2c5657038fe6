/**
 * A source in which every mutant is present and none is active: each place asks `$mutant(id)` what to be. So one process
 * tries one mutant after the other without loading anything again.
 */
import type { Mutant } from './mutants.ts';

/** The source with its switches; the id of a mutant is `prefix` and its number. */
export function switched(text: string, mutants: readonly Mutant[], prefix: string): string {
  const places: Place[] = [];
  for (const [number, mutant] of mutants.entries()) {
    const last = places.at(-1);
    const entry = { id: `${prefix}${number}`, text: mutant.text };
    if (last?.start === mutant.start && last.end === mutant.end) last.mutants.push(entry);
    else places.push({ ...mutant, mutants: [entry] });
  }
  let next = 0;
  return rendered(0, text.length);

  /** Places come outermost first, so those within the range are the next ones. */
  function rendered(start: number, end: number): string {
    let result = '';
    let at = start;
    for (let place = places[next]; place !== undefined && place.end <= end; place = places[next]) {
      next += 1;
      result += text.slice(at, place.start) + choice(place, rendered(place.start, place.end));
      at = place.end;
    }
    return result + text.slice(at, end);
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly isStatement: boolean;
  readonly mutants: { readonly id: string; readonly text: string }[];
}

function choice({ isStatement, mutants }: Place, original: string): string {
  const asked = mutants.map(({ id, text }) => [`$mutant(${JSON.stringify(id)})`, text] as const);
  if (isStatement) return `${asked.map(([test, text]) => `if (${test}) {${text}} else `).join('')}{${original}}`;
  return `(${asked.map(([test, text]) => `${test} ? (${text}) : `).join('')}(${original}))`;
}
