/** What the controllers say to those who run them. Any logger with these methods will do, the runtime's for one. */

/** Hears of what goes wrong (`warn`) and of what the controllers do (`info`, `debug`). */
export interface ClusterLogger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silent: ClusterLogger = { debug() {}, info() {}, warn() {} };
