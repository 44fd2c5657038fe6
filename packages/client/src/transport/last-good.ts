/**
 * What is made of texts that others replace while we run.
 *
 * A change that cannot be used, as when of a certificate and its key only one has been written yet, is passed over, and
 * what was good before serves on. Only texts that were never good are an error.
 */
export class LastGood<Inputs extends readonly unknown[], Value> {
  readonly #make: (...inputs: Inputs) => Value;
  #inputs: Inputs | undefined;
  #good: { readonly value: Value } | undefined;

  constructor(make: (...inputs: Inputs) => Value) {
    this.#make = make;
  }

  get(...inputs: Inputs): Value {
    if (this.#good && this.#inputs?.every((input, i) => input === inputs[i])) return this.#good.value;
    try {
      this.#good = { value: this.#make(...inputs) };
    } catch (error) {
      if (!this.#good) throw error;
    }
    this.#inputs = inputs;
    return this.#good.value;
  }
}
