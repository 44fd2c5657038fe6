/** A configuration that cannot be used: which file, which field, and why, in one sentence without secrets. */
import { OperatorError } from '@keelson/core';

/** The configuration is wrong: the message names the file, the field and the reason, and no secret. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  readonly code = 'ERR_CONFIG';
  /** The file, when one is to blame. */
  readonly file: string | undefined;
  /** The path inside it, such as `users[admin].user.token`. */
  readonly field: string | undefined;

  constructor(where: { readonly file?: string; readonly field?: string }, reason: string, options?: ErrorOptions) {
    super([where.file, where.field, reason].filter(Boolean).join(': '), options);
    this.file = where.file;
    this.field = where.field;
  }
}

/** Whether the configuration is to blame; holds for errors of another copy of this package, too. */
export function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && (error as { readonly code?: unknown }).code === 'ERR_CONFIG';
}
