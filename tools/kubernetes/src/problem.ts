/**
 * A situation that the user can do something about, told in one sentence.
 *
 * The command prints the message and nothing else, so it must stand alone: what is wrong, and what helps.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code = 'ERR_KUBERNETES_PROBLEM';
}

export function isProblem(error: unknown): error is Problem {
  return error instanceof Error && 'code' in error && error.code === 'ERR_KUBERNETES_PROBLEM';
}

/** True for a file system's error of that code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
