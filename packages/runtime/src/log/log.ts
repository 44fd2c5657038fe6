/** The two loggers of a process: JSON lines for machines, and a form for people on a terminal. */
import type { Clock } from '@keelson/core';
import type { Logger as PinoLogger } from 'pino';
import { pinoModule } from '../late-modules.ts';
import type { Fields, Logger } from './logger.ts';
import { isError, shown } from './thrown.ts';

/** From what level on lines are written. */
export type Level = 'debug' | 'info' | 'warn' | 'error';

export const levels: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** How lines are written. */
export interface LogOptions {
  /** The name of the operator, as `logger` in each line. */
  readonly name: string;
  readonly clock: Clock;
  /** @default 'info' */
  readonly level?: Level;
  /** Where lines go. @default standard error */
  readonly write?: (line: string) => void;
  /** Colour in the form for people. @default false */
  readonly color?: boolean;
}

const toStderr = (line: string): void => void process.stderr.write(line);

/** One JSON object a line: `level`, `ts`, `logger`, `msg`, then the fields. */
export function jsonLogger({ name, clock, level = 'info', write = toStderr }: LogOptions): Logger {
  const root = pinoModule().pino(
    {
      level,
      base: { logger: name },
      timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error: unknown) => describeError(error) },
    },
    { write },
  );
  /** Each pass has a logger of its own, and most say nothing: what their lines begin with is made with the first one. */
  const wrap = (make: () => PinoLogger): Logger => {
    let made: PinoLogger | undefined;
    const logger = () => {
      made ??= make();
      return made;
    };
    return {
      debug: (message, fields = {}) => (level === 'debug' ? logger().debug(fields, message) : undefined),
      info: (message, fields = {}) => logger().info(fields, message),
      warn: (message, fields = {}) => logger().warn(fields, message),
      error: (message, fields = {}) => logger().error(fields, message),
      with(fields) {
        const own = { ...fields }; // as they are now
        return wrap(() => logger().child(own));
      },
    };
  };
  return wrap(() => root);
}

/** A cause may lead back to itself. */
const deepestCause = 5;
/** Of those that one error joins. */
const mostErrors = 5;

/** An error for the log: what, where, and why. Only the members that are known to hold no secret. */
function describeError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return shown(error);
  try {
    const { code, errors } = error as Error & { readonly code?: unknown; readonly errors?: unknown };
    const deeper = (each: unknown) => describeError(each, depth + 1);
    const mayGoOn = depth < deepestCause;
    return {
      message: error.message,
      ...(typeof code === 'string' && { code }),
      stack: error.stack,
      ...(error.cause !== undefined && mayGoOn && { cause: deeper(error.cause) }),
      ...(Array.isArray(errors) && mayGoOn && { errors: errors.slice(0, mostErrors).map(deeper) }),
    };
  } catch {
    return shown(error);
  }
}

const colors: Readonly<Record<Level, string>> = { debug: '90', info: '32', warn: '33', error: '31' };

/** For how long an error that comes again and again is only counted. */
const quietMs = 60_000;
/** Beyond that, the counts begin anew. */
const mostCounted = 1000;

/**
 * `20:54:03 INFO  Starting workers controller=memcached`. An error is one line with the place in the author's code, and
 * one that comes again within a minute is counted; at level debug each has a line, with its whole stack.
 */
export function textLogger({ clock, level = 'info', write = toStderr, color = false }: LogOptions): Logger {
  const paint = (code: string, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const isWhole = level === 'debug';
  const counted = new Map<string, { since: number; times: number }>();
  /** How often an error has come since it was last printed, this time included; 0: it is not printed now. */
  const timesOf = (message: string, { retryInMs: _, ...fields }: Fields): number => {
    const now = clock.monotonic();
    const what = `${message} ${Object.values(fields).map(printed).join(' ')}`;
    const seen = counted.get(what);
    if (seen !== undefined && now - seen.since < quietMs) {
      seen.times += 1;
      return 0;
    }
    if (counted.size >= mostCounted) counted.clear();
    counted.set(what, { since: now, times: 0 });
    return (seen?.times ?? 0) + 1;
  };
  const line = (lineLevel: Level, message: string, fields: Fields) => {
    if (levels.indexOf(lineLevel) < levels.indexOf(level)) return;
    const error = lineLevel === 'error' && isError(fields.error) ? fields.error : undefined;
    const times = error === undefined || isWhole ? 1 : timesOf(message, fields);
    if (times === 0) return;
    const where = error === undefined || isWhole ? {} : whereFrom(error);
    const time = new Date(clock.now()).toISOString().slice(11, 19);
    const pairs = Object.entries({ ...fields, ...where, ...(times > 1 && { times }) })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ` ${paint('90', `${key}=`)}${printed(value)}`);
    const stack = error !== undefined && isWhole ? `${stackOf(error)}\n` : '';
    write(
      `${paint('90', time)} ${paint(colors[lineLevel], lineLevel.toUpperCase().padEnd(5))} ${message}${pairs.join('')}\n${stack}`,
    );
  };
  const wrap = (bound: Fields): Logger => ({
    debug: (message, fields) => line('debug', message, { ...bound, ...fields }),
    info: (message, fields) => line('info', message, { ...bound, ...fields }),
    warn: (message, fields) => line('warn', message, { ...bound, ...fields }),
    error: (message, fields) => line('error', message, { ...bound, ...fields }),
    with: (fields) => wrap({ ...bound, ...fields }),
  });
  return wrap({});
}

/** Why an error came, and where the author can mend it: the first place that is neither Node's nor a dependency's. */
function whereFrom(error: Error): Fields {
  const places = framesOf(error).flatMap((frame) => /(\/[^()\s]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? []);
  const at = places.find((place) => !place.includes('/node_modules/')) ?? places[0];
  try {
    return { cause: error.cause, at: at?.replace(/^\/+/, '/') };
  } catch {
    return { at };
  }
}

/** Where an error was thrown, without the message, which stands in the line already; and its causes, with theirs. */
function stackOf(error: Error): string {
  const lines = framesOf(error);
  let { cause } = error;
  for (let depth = 0; cause !== undefined && depth < deepestCause; depth++) {
    lines.push(`  caused by ${printed(cause)}`);
    if (!isError(cause)) break;
    lines.push(...framesOf(cause));
    ({ cause } = cause);
  }
  return lines.join('\n');
}

function framesOf(error: Error): string[] {
  try {
    return String(error.stack ?? '')
      .split('\n')
      .filter((frame) => /^\s+at /.test(frame));
  } catch {
    return [];
  }
}

/** A value on one line; text from the cluster may contain anything, so control characters are escaped. */
function printed(value: unknown): string {
  try {
    if (isError(value)) return printed(String(value.message));
    if (typeof value === 'string' && /^[\w./:@-]+$/.test(value)) return value;
    return JSON.stringify(value) ?? String(value);
  } catch {
    return JSON.stringify(shown(value));
  }
}
