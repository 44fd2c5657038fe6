/** Counts the pages of a list, so that a server which always has another does not keep us for ever. */
import { type List, TransportError } from '@keelson/core';

/** With 500 objects each, five million. */
const maxPages = 10_000;
/** In a row: a real server fills each page but the last. */
const maxEmptyPages = 10;

export class PageCount {
  readonly #action: string;
  #pages = 0;
  #empty = 0;

  constructor(action: string) {
    this.#action = action;
  }

  add({ items, continueToken }: List<unknown>): void {
    this.#pages += 1;
    this.#empty = items.length === 0 ? this.#empty + 1 : 0;
    if (continueToken === undefined) return;
    if (this.#empty >= maxEmptyPages) {
      throw new TransportError(this.#action, `${maxEmptyPages} pages in a row are empty, and another is to follow`);
    }
    if (this.#pages >= maxPages) {
      const advice = 'raise pageSize, or select fewer objects';
      throw new TransportError(this.#action, `the list does not end after ${maxPages} pages; ${advice}`);
    }
  }
}
