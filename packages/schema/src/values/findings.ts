/** What the checks of one value found, and how many of them held. */
import { type Cause, invalid, wholeObject } from '../wording/cause.ts';

export class Findings {
  readonly causes: Cause[] = [];
  /** Decides which failed alternative of an anyOf or oneOf is reported: the one that got furthest. */
  matches = 0;
  /** Where the checked value stands in the object; undefined for the whole object. */
  readonly base: string | undefined;
  readonly #texts = new Set<string>();
  readonly #order: string[] = [];

  constructor(base: string | undefined) {
    this.base = base;
  }

  /** `text` is what the API server tells two findings apart by: the same text is reported once. */
  add(text: string, cause: Cause): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#order.push(text);
    this.causes.push(cause);
  }

  // The server knows no field for these, and names the whole object.
  addWithoutField(text: string): void {
    this.add(text, invalid(this.base ?? wholeObject, '', text));
  }

  merge(other: Findings): void {
    for (const [i, cause] of other.causes.entries()) this.add(other.#order[i] ?? '', cause);
    this.matches += other.matches;
  }

  /** Forgets what was found since there were `count` causes. */
  truncate(count: number): void {
    this.causes.length = count;
    for (const text of this.#order.splice(count)) this.#texts.delete(text);
  }

  /** The field at a path of the checked value. */
  field(path: string): string {
    const name = path.startsWith('.') ? path.slice(1) : path;
    if (name === '') return this.base ?? wholeObject;
    return this.base === undefined ? name : `${this.base}.${name}`;
  }
}
