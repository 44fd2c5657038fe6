/** What someone may have meant who wrote a word that there is not. */

/** The choice that the fewest edits lead to, if that is at most a third of the word. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  const [first] = choices
    .map((choice) => ({ choice, edits: editsBetween(word, choice) }))
    .filter(({ edits }) => edits <= word.length / 3)
    .sort((a, b) => a.edits - b.edits);
  return first?.choice;
}

/** How many letters must be added, dropped or changed (Levenshtein), a row of the table after the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [changed = 0, dropped = 0, added = 0] = [row[j], row[j + 1], next[j]];
      next.push(Math.min(changed + (letter === other ? 0 : 1), dropped + 1, added + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
