/** What the handlers of requests work with: the state, the rules, and the time and chance that the server was given. */
import type { Authenticator } from '../authenticate/authenticate.ts';
import type { ServiceAccountTokens } from '../authenticate/service-account-tokens.ts';
import type { Authoriser } from '../authorise/authoriser.ts';
import type { ContainerLogs } from '../container-logs.ts';
import type { ContainerSessions } from '../container-sessions.ts';
import type { PodPorts } from '../pod-ports.ts';
import type { PodUsage } from '../pod-usage.ts';
import type { Registry } from '../resource/registry.ts';
import type { FanOut } from '../watch/fan-out.ts';
import type { WriteContext } from '../write/write-context.ts';

export interface Context extends WriteContext {
  readonly registry: Registry;
  readonly fanOut: FanOut;
  readonly authenticator: Authenticator;
  readonly authoriser: Authoriser;
  readonly accountTokens: ServiceAccountTokens;
  /** Absent: no node can be asked. */
  readonly logs: ContainerLogs | undefined;
  readonly sessions: ContainerSessions | undefined;
  readonly ports: PodPorts | undefined;
  /** Absent: nothing measures what pods use. */
  readonly podUsage: PodUsage | undefined;
}
