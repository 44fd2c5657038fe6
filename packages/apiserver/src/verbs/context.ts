/** What the verbs work with: the state, the rules, and the time and chance that they were given. */
import type { Clock, Random } from '@keelson/core';
import type { Authenticator } from '../authenticate/authenticate.ts';
import type { ServiceAccountTokens } from '../authenticate/service-account-tokens.ts';
import type { Authoriser } from '../authorise/authoriser.ts';
import type { ContainerLogs } from '../container-logs.ts';
import type { ApiRequest } from '../request/exchange.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import type { User } from '../request/user.ts';
import type { Registry } from '../resource/registry.ts';
import type { Resource, Surroundings } from '../resource/resource.ts';
import type { Store } from '../store/store.ts';
import type { FanOut } from '../watch/fan-out.ts';

export interface Context {
  readonly store: Store;
  readonly registry: Registry;
  readonly fanOut: FanOut;
  readonly clock: Clock;
  readonly random: Random;
  readonly surroundings: Surroundings;
  readonly authenticator: Authenticator;
  readonly authoriser: Authoriser;
  readonly accountTokens: ServiceAccountTokens;
  /** Absent: no node can be asked. */
  readonly logs: ContainerLogs | undefined;
}

/** A request that has found its resource. */
export interface Call {
  readonly request: ApiRequest;
  readonly user: User;
  readonly info: ResourceInfo;
  readonly resource: Resource;
  /** Empty for a cluster-scoped resource and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Remarks that travel with the answer, whatever it is. */
  readonly warnings: string[];
}
