/** The text of an expression: places in it, and what is wrong at them, shown as the API server does. */

/** What is wrong in an expression, and where. */
export interface Issue {
  /** Counted in characters from the beginning. */
  readonly at: number;
  readonly message: string;
}

/** The text of an expression, which can show where an issue is. */
export class Source {
  readonly characters: readonly string[];
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.characters = [...text];
    this.#lineStarts = [0, ...this.characters.flatMap((char, i) => (char === '\n' ? [i + 1] : []))];
  }

  text(from: number, to: number): string {
    return this.characters.slice(from, to).join('');
  }

  /** All issues in the order of their places, each with its line and a mark under the place. */
  show(issues: readonly Issue[]): string {
    return [...issues]
      .sort((a, b) => a.at - b.at)
      .map((issue) => this.#show(issue))
      .join('\n');
  }

  #show({ at, message }: Issue): string {
    const line = this.#lineStarts.findLastIndex((start) => start <= at);
    const start = this.#lineStarts[line] ?? 0;
    const end = this.#lineStarts[line + 1];
    const snippet = this.characters.slice(start, end === undefined ? undefined : end - 1);
    // Characters of several bytes are wide, and so are the dots under them.
    const isWide = (char: string | undefined) => char !== undefined && Buffer.byteLength(char) > 1;
    const dots = snippet.slice(0, at - start).map((char) => (isWide(char) ? '．' : '.'));
    const mark = isWide(snippet[at - start]) ? '＾' : '^';
    const shown = snippet.join('').replaceAll('\t', ' ');
    return `ERROR: <input>:${line + 1}:${at - start + 1}: ${message}\n | ${shown}\n | ${dots.join('')}${mark}`;
  }
}
