/** Logging: a small interface, so that no other file depends on a logging library; one message, keys for the values. */

/** The values of a line, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Where the engine and reconcilers write what happened. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** `fields.error` is printed with its stack and causes. */
  error(message: string, fields?: Fields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: Fields): Logger;
}
