/** What a probe asks: whether something is well, and what to say of it. */

/** One thing that has to be well for the process to be ready. */
export interface Check {
  readonly name: string;
  /** Absent when all is well. */
  readonly problem: string | undefined;
  /** What does not make it fail and is still worth knowing. */
  readonly note?: { readonly word: string; readonly details: string } | undefined;
}
