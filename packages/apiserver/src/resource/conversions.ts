/**
 * Objects in other versions that must be waited for, since a webhook converts them.
 *
 * The steps that read and write are synchronous, which keeps two writes from meeting half way. They ask for an object in
 * another version as if it were there; where it is not, they are given up, what is missing is converted, and they are
 * done again (`converted`). What a request has had converted it has for its whole life, and no other request.
 */
import type { ApiObject } from '../object.ts';
import { Unconverted } from '../unconverted.ts';

/** Converts objects to one version, in one go; rejects with a `StatusError`. */
export type Converter = (objects: readonly ApiObject[], apiVersion: string) => Promise<readonly ApiObject[]>;

/** Does something, again and again until all objects that it asks for are there. */
export async function converted<T>(step: () => T): Promise<T> {
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Unconverted)) throw error;
      await error.convert();
    }
  }
}

/** The conversions of one request. */
export class Conversions {
  readonly #converter: Converter;
  readonly #known = new Map<string, ApiObject>();

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  /** The object in a version that it is not in; throws until it has been converted. */
  readonly convert = (object: ApiObject, apiVersion: string): ApiObject => {
    const found = this.#known.get(keyOf(object, apiVersion));
    if (found !== undefined) return found;
    throw new Unconverted(() => this.ahead([object], apiVersion));
  };

  /** Converts several objects at once, before they are asked for. */
  async ahead(objects: readonly ApiObject[], apiVersion: string): Promise<void> {
    const missing = objects.filter(
      (each) => each.apiVersion !== apiVersion && !this.#known.has(keyOf(each, apiVersion)),
    );
    if (missing.length === 0) return;
    const results = await this.#converter(missing, apiVersion);
    for (const [index, each] of missing.entries()) {
      const result = results[index];
      if (result !== undefined) this.#known.set(keyOf(each, apiVersion), result);
    }
  }

  /** For a request that never ends: what has been shown is not needed again. */
  forget(): void {
    this.#known.clear();
  }
}

/** By content: what is done again makes the same objects anew. */
const keyOf = (object: ApiObject, apiVersion: string): string => `${apiVersion} ${JSON.stringify(object)}`;
