/** The way from the server to the logs of containers, which only their nodes have. */
import type { Pod } from '@keelson/core/v1';

/** How a node is asked for logs, as a real server asks a kubelet. */
export type ContainerLogs = (request: LogRequest) => ContainerLog;

export interface LogRequest extends ContainerLogOptions {
  readonly node: string;
  readonly pod: Pod;
  readonly container: string;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
}

export interface ContainerLogOptions {
  /** Goes on as the container writes, until it ends. */
  readonly follow: boolean;
  /** Of the container before its last restart. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: string | undefined;
}

export type ContainerLog =
  | { readonly type: 'log'; readonly bytes: AsyncIterable<Uint8Array> }
  /** There is none, and the node says why. */
  | { readonly type: 'refused'; readonly message: string }
  /** No kubelet answers for that node. */
  | { readonly type: 'unreachable' };
