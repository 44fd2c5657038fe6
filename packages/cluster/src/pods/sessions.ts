/** What a test is asked when someone goes into a simulated pod, by `kubectl exec`, `attach` or `port-forward`. */
import type { PortConnection, SessionStreams } from '@keelson/apiserver';
import type { Pod } from '@keelson/core/v1';

/** A session in a simulated container: who wants what, and the streams to answer on. */
export interface PodSession extends SessionStreams {
  readonly pod: Pod;
  readonly container: string;
  /** What is to be run; empty for an attach. */
  readonly command: readonly string[];
  /** Whether the caller sits at a terminal. */
  readonly tty: boolean;
}

/** Answers a session with its exit code, when it is over; with `undefined`, when it is not one of those it knows. */
export type SessionHandler = (session: PodSession) => number | undefined | Promise<number | undefined>;

/** A connection to a port of a simulated pod, by `kubectl port-forward`. */
export interface PodConnection extends PortConnection {
  readonly pod: Pod;
}

/** Answers a connection, which is closed when this is done; what it throws is told to the caller. */
export type PortHandler = (connection: PodConnection) => unknown;
