/** The way from the server to the logs of containers, which only their nodes have. */
import type { Pod } from '@keelson/core/v1';

/** How a node is asked for logs, as a real server asks a kubelet. */
export type ContainerLogs = (request: ContainerLogRequest) => ContainerLog;

/** Which log is wanted, and how much of it. */
export interface ContainerLogRequest extends ContainerLogOptions {
  /** The name of the node that the pod is on. */
  readonly node: string;
  readonly pod: Pod;
  readonly container: string;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
}

/** The query parameters of a log, checked. */
export interface ContainerLogOptions {
  /** Goes on as the container writes, until it ends. */
  readonly follow: boolean;
  /** Of the container before its last restart. */
  readonly previous: boolean;
  /** Each line begins with its time. */
  readonly timestamps: boolean;
  /** Only that many lines from the end. */
  readonly tailLines: number | undefined;
  /** Not more bytes than that. */
  readonly limitBytes: number | undefined;
  /** Only lines that are not older than that; at most one of the two is set. */
  readonly sinceSeconds: number | undefined;
  /** RFC 3339. */
  readonly sinceTime: string | undefined;
}

/** What a node says to the question for a log. */
export type ContainerLog =
  | { readonly type: 'log'; readonly bytes: AsyncIterable<Uint8Array> }
  /** There is none, and the node says why. */
  | { readonly type: 'refused'; readonly message: string }
  /** No kubelet answers for that node. */
  | { readonly type: 'unreachable' };
