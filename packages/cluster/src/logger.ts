/** What the controllers say to those who run them. Any logger with these methods will do, the runtime's for one. */

export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silent: Logger = { debug() {}, info() {}, warn() {} };
