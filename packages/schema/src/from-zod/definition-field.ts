/** A field of a definition, and what is wrong with it: said to the author by its path, with a reason and a way out. */
import type { Problem } from '../wording/problem.ts';

/** What is wrong with a definition: a sentence for its author. `field` is as in an object: `spec.ports[].port`. */
export type DefinitionProblem = Pick<Problem, 'field' | 'message'>;

/** Where in a definition something stands. */
export class DefinitionField {
  readonly path: string;
  readonly #problems: DefinitionProblem[];

  constructor(path: string, problems: DefinitionProblem[]) {
    this.path = path;
    this.#problems = problems;
  }

  field(name: string): DefinitionField {
    return new DefinitionField(this.path === '' ? name : `${this.path}.${name}`, this.#problems);
  }

  items(): DefinitionField {
    return new DefinitionField(`${this.path}[]`, this.#problems);
  }

  values(): DefinitionField {
    return new DefinitionField(`${this.path}.*`, this.#problems);
  }

  refuse(message: string): void {
    this.#problems.push({ field: this.path, message });
  }
}
