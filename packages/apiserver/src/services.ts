/** How the server reaches what stands behind a Service: there is no network in the process. */
import type { Transport } from '@keelson/core';

/** A Service, and the port of it that is asked for. */
export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The way to whoever answers there; `undefined` where nobody does. */
export type Services = (service: ServiceAddress) => Transport | undefined;
