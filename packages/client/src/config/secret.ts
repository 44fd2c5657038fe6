/**
 * A value that must not be printed: a token, a password, a private key.
 *
 * Promises: `util.inspect`, `JSON.stringify`, string conversion and error messages show `[secret]`. Only `reveal` gives
 * the value, so a search for that word finds every place that handles one.
 */
import { inspect } from 'node:util';

/** A value that no log, error or JSON shows; only `reveal` gives it away. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
