/** What the checks of one value found, and how many of them held. */
import { invalidValue, type Problem, wholeObject } from '../wording/problem.ts';

/** The problems of one value, each once. */
export class ProblemList {
  readonly all: Problem[] = [];
  /** Decides which failed alternative of an anyOf or oneOf is reported: the one that got furthest. */
  matches = 0;
  /** Where the checked value stands in the object; undefined for the whole object. */
  readonly base: string | undefined;
  readonly #texts = new Set<string>();
  readonly #order: string[] = [];

  constructor(base: string | undefined) {
    this.base = base;
  }

  /** `text` is what the API server tells two problems apart by: the same text is reported once. */
  add(text: string, problem: Problem): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#order.push(text);
    this.all.push(problem);
  }

  // The server knows no field for these, and names the whole object.
  addWithoutField(text: string): void {
    this.add(text, invalidValue(this.base ?? wholeObject, '', text));
  }

  merge(other: ProblemList): void {
    for (const [i, problem] of other.all.entries()) this.add(other.#order[i] ?? '', problem);
    this.matches += other.matches;
  }

  /** Forgets what was found since there were `count` problems. */
  truncate(count: number): void {
    this.all.length = count;
    for (const text of this.#order.splice(count)) this.#texts.delete(text);
  }

  /** The field at a path of the checked value. */
  field(path: string): string {
    const name = path.startsWith('.') ? path.slice(1) : path;
    if (name === '') return this.base ?? wholeObject;
    return this.base === undefined ? name : `${this.base}.${name}`;
  }
}
