/** The way from the server into containers (exec, attach), which only their nodes have. */
import type { Pod } from '@keelson/core/v1';

/** How a node is asked to let someone into a container, as a real server asks a kubelet. */
export type ContainerSessions = (request: ContainerSessionRequest) => ContainerSession;

/** Who is wanted, and for what. */
export interface ContainerSessionRequest {
  readonly type: 'exec' | 'attach';
  /** The name of the node that the pod is on. */
  readonly node: string;
  readonly pod: Pod;
  readonly container: string;
  /** What is to be run; empty for `attach`. */
  readonly command: readonly string[];
  /** Whether the caller sits at a terminal. */
  readonly tty: boolean;
}

/** What a node says to that. */
export type ContainerSession =
  /** Runs until the session is over; resolves with the exit code of what was run. */
  | { readonly type: 'session'; readonly run: (io: SessionStreams) => Promise<number> }
  /** It cannot be, and the node says why. */
  | { readonly type: 'refused'; readonly message: string }
  /** No kubelet answers for that node. */
  | { readonly type: 'unreachable' };

/** What goes in and out. What the caller did not ask for is dropped. */
export interface SessionStreams {
  /** Ends when the caller has nothing more to say. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Writer;
  readonly stderr: Writer;
  /** Aborted when the caller has left, or the container has ended. */
  readonly signal: AbortSignal;
}

/** Somewhere to write to. */
export interface Writer {
  write(text: string | Uint8Array): void;
}
