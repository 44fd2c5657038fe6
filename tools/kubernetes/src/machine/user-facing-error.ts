/**
 * A situation that the user can do something about, told in one sentence.
 *
 * The command prints the message and nothing else, so it must stand alone: what is wrong, and what helps.
 */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError';
  readonly code = 'ERR_USER_FACING';
}

export function isUserFacingError(error: unknown): error is UserFacingError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_USER_FACING';
}

/** True for a file system's error of that code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
