/**
 * What fails at present: for each object whose last pass failed, the error and how often in a row.
 *
 * A wait that gives up says it, since that is mostly why a state does not come.
 */
import type { NamespacedName, Operator } from '@keelson/core';
import type { PassEnd } from '@keelson/runtime';

interface Failing {
  /** `widget default/a`. */
  readonly what: string;
  readonly key: NamespacedName;
  readonly times: number;
  readonly error: Error;
}

/** Of them, a message names these. */
const mostNamed = 3;

export class Failures {
  readonly #failing = new Map<string, Failing>();

  /** A pass has ended. Replicas of one operator work on the same objects. */
  note({ name }: Operator, { controller, key, error }: PassEnd): void {
    const id = `${name} ${controller} ${key}`;
    if (error === undefined) this.#failing.delete(id);
    else {
      const times = (this.#failing.get(id)?.times ?? 0) + 1;
      this.#failing.set(id, { what: `${controller} ${key}`, key, times, error });
    }
  }

  /** The end of the message of a wait for the object of this name, and its cause: the objects of that name come first. */
  explain(awaited: NamespacedName): { readonly text: string; readonly cause?: Error } {
    const all = [...this.#failing.values()];
    const sorted = [...all.filter(({ key }) => key === awaited), ...all.filter(({ key }) => key !== awaited)];
    const [first] = sorted;
    if (first === undefined) return { text: '' };
    const named = sorted
      .slice(0, mostNamed)
      .map(
        ({ what, times, error }) =>
          `; the last pass over ${what} failed${times > 1 ? ` (${times} times)` : ''}: ${error.message}`,
      );
    const left = sorted.length - named.length;
    return { text: `${named.join('')}${left > 0 ? `; so did those over ${left} more` : ''}`, cause: first.error };
  }
}
