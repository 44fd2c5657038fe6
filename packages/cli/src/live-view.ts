/**
 * Lines that change while something goes on, on standard error.
 *
 * On a terminal they are written over; anywhere else each is printed when it has something new to say, so that a log
 * reads from top to bottom.
 */
import type { Shell } from './shell.ts';

export interface ViewLine {
  /** What the line is about: it says something new about that. */
  readonly key: string;
  readonly text: string;
  /** What it says where nothing can be written over; without it, the same. */
  readonly plain?: string;
}

export class LiveView {
  readonly #shell: Pick<Shell, 'err' | 'errColumns'>;
  readonly #said = new Map<string, string>();
  #shown = '';
  #height = 0;

  constructor(shell: Pick<Shell, 'err' | 'errColumns'>) {
    this.#shell = shell;
  }

  /** What is so now. */
  show(lines: readonly ViewLine[]): void {
    const columns = this.#shell.errColumns();
    if (columns === undefined) this.#append(lines);
    else this.#redraw(lines.map(({ text }) => `${cut(text, columns)}\n`).join(''), lines.length);
  }

  /** Takes the lines away: what comes next is the result. */
  clear(): void {
    if (this.#height > 0) this.#shell.err(upAndErase(this.#height));
    this.#shown = '';
    this.#height = 0;
  }

  #append(lines: readonly ViewLine[]): void {
    for (const { key, text, plain = text } of lines) {
      if (this.#said.get(key) === plain) continue;
      this.#said.set(key, plain);
      this.#shell.err(`${plain}\n`);
    }
  }

  #redraw(text: string, height: number): void {
    if (text === this.#shown) return;
    this.#shell.err(`${this.#height > 0 ? upAndErase(this.#height) : ''}${text}`);
    this.#shown = text;
    this.#height = height;
  }
}

const upAndErase = (lines: number) => `\u001b[${lines}A\u001b[J`;

/** A line that wraps, or breaks, would be two, and the next one would be written over the wrong place. */
function cut(text: string, columns: number): string {
  const line = text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
