/**
 * What the suites need of a server, so that one body judges the client on a real Kubernetes and on the embedded cluster.
 *
 * A test that needs more than a server offers is skipped there, for the reason that `lacks` gives.
 */
import type { Clock } from '@keelson/core';
import type { ClusterConfig } from '../../src/index.ts';

/**
 * suspension: the server can be stopped in mid-air. minutes: its minutes pass quickly enough to be waited for. kubectl:
 * there is one. pods: containers run, in somebody's eyes. output: they also write.
 */
export type Need = 'suspension' | 'minutes' | 'kubectl' | 'pods' | 'output';

export interface Offer {
  /** Ends the name of each suite: `the client on NAME`. */
  readonly name: string;
  /** Why there is no such server here at all. */
  readonly skip: string | false;
  /** Why something cannot be had; what is not in here can. */
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
  /** Objects per page of a list that is two and a half pages long. @default what the client takes, 500 */
  readonly pageSize?: number;
  /** How long leases shall last: as short as its answers are surely quicker. */
  readonly leaseMs: number;
  readonly start: () => Promise<Server>;
}

/** The options of a test that needs something. */
export const needing = ({ lacks }: Offer, need: Need): { readonly skip: string | false } => ({
  skip: lacks[need] ?? false,
});

export interface Server extends AsyncDisposable {
  /** The administrator's. */
  readonly config: ClusterConfig;
  /** The same as a file, for other processes. */
  readonly kubeconfig: string;
  /** Of somebody who was given no rights. */
  configFor(user: string): Promise<ClusterConfig>;
  /** The time that informers live in; where it runs fast, their backoff does not hold up a test. */
  readonly clock: Clock;
  /** Takes the server away, and all connections with it; what it knows stays. */
  kill(): Promise<void>;
  /** Brings it back. */
  restart(): Promise<void>;
  /** Makes it forget its history, away or not: whoever goes on from an old version then hears 410. */
  compact(): Promise<void>;
  /** Connections stay open, and nothing answers until `resume`. */
  suspend(): void;
  resume(): void;
  /** Runs kubectl to its successful end, and returns what it printed. */
  kubectl(...args: string[]): Promise<string>;
}
