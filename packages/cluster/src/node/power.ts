/** Whether the simulated node is alive: a test lets it crash, and starts it again. */

/** The simulated node, as a machine that can fail. */
export interface NodePower {
  /**
   * From now on its kubelet does nothing and says nothing: pods stay as they were, deleted ones stay, and logs cannot be
   * had. After 50 seconds the Node is `Unknown`, is tainted `unreachable`, and its pods are not ready.
   */
  crash(): void;
  /** It is back, its pods with it. */
  start(): void;
}

export class Power implements NodePower {
  readonly #listeners = new Set<() => void>();
  #isOn = true;

  get isOn(): boolean {
    return this.#isOn;
  }

  crash(): void {
    this.#set(false);
  }

  start(): void {
    this.#set(true);
  }

  onChange(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  #set(isOn: boolean): void {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    for (const listener of this.#listeners) listener();
  }
}
