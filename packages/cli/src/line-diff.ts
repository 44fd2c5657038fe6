/** How two texts differ, line by line: `-` is gone, `+` is new, and what stands around a change shows where it is. */

const around = 2;
/** Beyond this, what changed is shown as a whole: two different files say nothing by what they share. */
const mostCells = 1_000_000;

/** Lines with a sign before each, and `@@ LINE` (of the old text) before each place. Nothing if they are the same. */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const start = sharedStart(old, fresh);
  const end = sharedStart(old.slice(start).reverse(), fresh.slice(start).reverse());
  const steps = stepsBetween(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  const all = [...old.slice(0, start).map(same), ...steps, ...old.slice(old.length - end).map(same)];
  const shown = all.map((_, i) =>
    all.slice(Math.max(0, i - around), i + around + 1).some((line) => !line.startsWith(' ')),
  );
  let line = 0;
  return all.flatMap((text, i) => {
    if (!text.startsWith('+')) line += 1;
    if (!shown[i]) return [];
    return [...(shown[i - 1] ? [] : [`@@ ${line}`]), ...text.split('\n')];
  });
}

/** A last line that does not end is another than one that does, and says so in a line below it. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  if (text.endsWith('\n')) return text.slice(0, -1).split('\n');
  const lines = text.split('\n');
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

const same = (line: string): string => ` ${line}`;

function sharedStart(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** By the longest list of lines that both have, worked out from the end. */
function stepsBetween(old: readonly string[], fresh: readonly string[]): readonly string[] {
  const [gone, come] = [old.map((line) => `-${line}`), fresh.map((line) => `+${line}`)];
  const width = fresh.length + 1;
  if (old.length * width > mostCells) return [...gone, ...come];
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < fresh.length; ) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      steps.push(same(old[i] ?? ''));
      i += 1;
      j += 1;
    } else if (i < old.length && (j >= fresh.length || at(i + 1, j) >= at(i, j + 1))) {
      steps.push(gone[i] ?? '');
      i += 1;
    } else {
      steps.push(come[j] ?? '');
      j += 1;
    }
  }
  return steps;
}
