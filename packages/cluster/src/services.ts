/**
 * Who answers behind the Services of a cluster in a process: there is no network in it, so that a function stands where
 * pods would.
 */
import type { ServiceAddress, Services } from '@keelson/apiserver';
import type { Transport } from '@keelson/core';

/** Lets code of this process answer behind Services: webhooks, above all. */
export interface ClusterServices {
  /**
   * Answers what is sent to this port of the Service, until it is disposed; whoever served it before is put aside until
   * then. The Service itself need not exist.
   */
  serve(service: ServiceName, transport: Transport): Disposable;
}

/** A Service, and one of its ports. */
export interface ServiceName extends Omit<ServiceAddress, 'port'> {
  /** @default 443 */
  readonly port?: number | undefined;
}

const keyOf = ({ namespace, name, port = 443 }: ServiceName): string => `${namespace}/${name}:${port}`;

export class ServedServices implements ClusterServices {
  /** The last one of each answers. */
  readonly #served = new Map<string, readonly Transport[]>();

  readonly find: Services = (service) => this.#served.get(keyOf(service))?.at(-1);

  serve(service: ServiceName, transport: Transport): Disposable {
    const key = keyOf(service);
    this.#served.set(key, [...(this.#served.get(key) ?? []), transport]);
    return {
      [Symbol.dispose]: () => {
        const others = (this.#served.get(key) ?? []).filter((each) => each !== transport);
        if (others.length > 0) this.#served.set(key, others);
        else this.#served.delete(key);
      },
    };
  }
}
