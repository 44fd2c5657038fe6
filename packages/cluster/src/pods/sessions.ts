/** What a test is asked when someone goes into a simulated container, by `kubectl exec` or `kubectl attach`. */
import type { SessionStreams } from '@keelson/apiserver';
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
