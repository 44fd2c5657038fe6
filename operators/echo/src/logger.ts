/** Lines for people or for machines, on standard error. */
import { type Clock, timestamp } from '@keelson/core';

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

type Fields = Readonly<Record<string, unknown>>;
/** Takes lines. */
export type EchoLogger = Readonly<Record<Level, (message: string, fields?: Fields) => void>>;

export interface LoggerOptions {
  readonly level: Level;
  /** JSON for machines, else text. */
  readonly json: boolean;
  readonly clock: Clock;
  /** @default standard error */
  readonly write?: ((line: string) => void) | undefined;
}

/** A logger of lines, for people or for machines. */
export function createLogger({
  level,
  json,
  clock,
  write = (line) => void process.stderr.write(line),
}: LoggerOptions): EchoLogger {
  const line =
    (at: Level) =>
    (msg: string, fields: Fields = {}) => {
      if (levels.indexOf(at) < levels.indexOf(level)) return;
      const ts = timestamp(clock.now());
      const values = Object.entries(fields).map(([name, value]) => [name, shown(value)] as const);
      // One line, whatever a cluster puts into a value.
      const text = values.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
      write(
        json
          ? `${JSON.stringify({ level: at, ts, msg, ...Object.fromEntries(values) })}\n`
          : `${ts} ${at.toUpperCase()} ${msg}${text}\n`,
      );
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** Of an error its message alone: its members may hold what is secret. */
function shown(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
