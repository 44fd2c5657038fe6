/** What an expression may spend, and the end of it. */

/** What is left to spend. */
export class Budget {
  spent = 0;
  readonly #limit: number;
  constructor(limit: number) {
    this.#limit = limit;
  }

  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.#limit) throw new BudgetExceeded();
  }
}

/** An expression cost more than it may. */
export class BudgetExceeded extends Error {}

/** The most that one expression may cost, about a tenth of a second for the real server. */
export const perCallLimit = 1_000_000;

/**
 * Ends an evaluation that is about to make a result of which alone the making costs more than any call may: calls are
 * paid for afterwards, and some results are far larger than what they are made of.
 */
export function assertAffordable(cost: number): void {
  if (cost > perCallLimit) throw new BudgetExceeded();
}
