/** What a scaffold consists of. */

/** A text and where it belongs; from then on it is the author's. */
export interface ScaffoldFile {
  /** Below the project's folder, with slashes: `src/operator.ts`. */
  readonly path: string;
  readonly text: string;
}
