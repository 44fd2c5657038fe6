/** Where in a definition something stands, and how it is refused: by its path, with a reason and a way out. */

/** What is wrong with a definition, and where: a sentence for its author. */
export interface Problem {
  /** The field, as one would name it in an object: `spec.ports[].port`, `spec.labels.*`. */
  readonly path: string;
  readonly reason: string;
}

export class Place {
  readonly path: string;
  readonly #problems: Problem[];

  constructor(path: string, problems: Problem[]) {
    this.path = path;
    this.#problems = problems;
  }

  field(name: string): Place {
    return new Place(this.path === '' ? name : `${this.path}.${name}`, this.#problems);
  }

  items(): Place {
    return new Place(`${this.path}[]`, this.#problems);
  }

  values(): Place {
    return new Place(`${this.path}.*`, this.#problems);
  }

  refuse(reason: string): void {
    this.#problems.push({ path: this.path, reason });
  }
}
