/** The way from the server to the ports of pods (port-forward), which only their nodes have. */
import type { Pod } from '@keelson/core/v1';
import type { Writer } from './container-sessions.ts';

/** How a node is asked for the ports of a pod, as a real server asks a kubelet. */
export type PodPorts = (request: PodPortsRequest) => PodPortsAnswer;

/** Whose ports are wanted. */
export interface PodPortsRequest {
  /** The name of the node that the pod is on. */
  readonly node: string;
  readonly pod: Pod;
}

/** What a node says to that. */
export type PodPortsAnswer =
  /** Each connection is handed over; it is closed when this resolves, and what it throws is told to the caller. */
  | { readonly type: 'ports'; readonly connect: (connection: PortConnection) => Promise<void> }
  /** It cannot be, and the node says why. */
  | { readonly type: 'refused'; readonly message: string }
  /** It is not possible in this cluster, and this is what is not implemented. */
  | { readonly type: 'unanswered'; readonly what: string }
  /** No kubelet answers for that node. */
  | { readonly type: 'unreachable' };

/** One connection to a port of a pod. */
export interface PortConnection {
  readonly port: number;
  /** What the caller sends; ends when it has nothing more to say. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Where the caller reads. */
  readonly output: Writer;
  /** Aborted when the caller has left, or the pod has ended. */
  readonly signal: AbortSignal;
}
