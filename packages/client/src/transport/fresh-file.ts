/**
 * Files that others replace while we run: tokens, certificates, keys.
 *
 * Content is read again once it is older than `maxAgeMs`. When that fails, the last good content serves on, since
 * replacing a file is rarely atomic; only a file that could never be read is an error.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '@keelson/core';
import { ConfigError } from '../config/config-error.ts';
import { reasonOf } from '../config/file-failure.ts';

export class FreshFiles {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #contents = new Map<string, { readonly text: string; readonly readAt: number }>();

  constructor(clock: Clock, maxAgeMs: number) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  async read(path: string): Promise<string> {
    const known = this.#contents.get(path);
    if (known && this.#clock.monotonic() - known.readAt < this.#maxAgeMs) return known.text;
    try {
      const text = await readFile(path, 'utf8');
      this.#contents.set(path, { text, readAt: this.#clock.monotonic() });
      return text;
    } catch (error) {
      if (known) return known.text;
      throw new ConfigError({ file: path }, `cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** The next read looks at the disk, however fresh the content is. */
  expire(path: string): void {
    const known = this.#contents.get(path);
    if (known) this.#contents.set(path, { ...known, readAt: Number.NEGATIVE_INFINITY });
  }
}
