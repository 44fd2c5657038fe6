/** The kind that the engine's suites reconcile, and a logger that remembers. */
import { conditions, defineKind } from '@keelson/schema';
import { z } from 'zod';
import type { Fields, Logger } from '../src/index.ts';

export const Widget = defineKind({
  group: 'engine.example.com',
  kind: 'Widget',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ text: z.string().default('hello') }),
      status: z.object({ seen: z.string(), conditions: conditions('Ready') }),
    },
  },
});

export const newWidget = (name = 'a', text = 'hello') => ({
  metadata: { namespace: 'default', name },
  spec: { text },
});

/** For a test that waits for the end of something: when that never comes, it fails soon. */
export const inTime = { timeout: 300_000 };

interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Fields;
}

export interface RememberingLogger extends Logger {
  readonly lines: readonly Line[];
  /** The lines of a level as text: the message, and that of the error. */
  said(level: Line['level']): readonly string[];
}

export function rememberingLogger(): RememberingLogger {
  const lines: Line[] = [];
  const make = (bound: Fields): Logger => {
    const at =
      (level: Line['level']) =>
      (message: string, fields: Fields = {}) =>
        void lines.push({ level, message, fields: { ...bound, ...fields } });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => make({ ...bound, ...fields }),
    };
  };
  const said = (level: Line['level']) =>
    lines
      .filter((line) => line.level === level)
      .map(({ message, fields: { error } }) => (error instanceof Error ? `${message}: ${error.message}` : message));
  return { ...make({}), lines, said };
}
