/**
 * Requests and responses: the same values for HTTPS and for a call in the process.
 */
import type { User } from './user.ts';

/** What serving found out about the caller; the step `authenticate` decides what that means. */
export interface Credentials {
  /** The subject of a client certificate that this server's CA has signed: common name and organisations. */
  readonly certificate?: User | undefined;
}

/** The headers that ask to act as another user, by their names in lower case; one may be sent several times. */
export type Impersonation = ReadonlyMap<string, readonly string[]>;

export interface ApiRequest {
  readonly method: string;
  /** Without the query, still escaped. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer | undefined;
  readonly credentials: Credentials;
  /** Absent when there are none. */
  readonly impersonation?: Impersonation | undefined;
  /** How the caller reached the server, `127.0.0.1:6443`, for the discovery documents that say so. */
  readonly host: string;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; warnings are several headers of one name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks to be sent one after the other, or something that goes on. */
  readonly body: readonly Buffer[] | Stream;
  /** What is done with a connection that becomes a WebSocket; only for a request that asked for one. */
  readonly upgrade?: Upgrade | undefined;
}

export interface Upgrade {
  /** The subprotocol that is spoken, one of those that the caller offers. */
  readonly protocol: string;
  readonly open: (socket: MessageSocket) => void;
}

/** A WebSocket. */
export interface MessageSocket {
  /** Nothing happens when it is closed. */
  send(bytes: Uint8Array): void;
  onMessage(listener: (bytes: Uint8Array) => void): void;
  onClose(listener: () => void): void;
  /** No message is heard until `resume`, nor that it was closed. */
  pause(): void;
  resume(): void;
  /** Bytes that were sent and have not been taken yet. */
  readonly pending: number;
  /** When all that was sent has left. */
  close(): void;
  /** At once, and drops what has not been taken. */
  abort(): void;
}

/** An answer without end: begins to write when it is given somewhere to write to; disposing the result stops it. */
export type Stream = (sink: Sink) => Disposable;

export interface Sink {
  write(bytes: Buffer): void;
  /** Nothing follows. */
  end(): void;
  /** Ends at once, and drops what a far-away reader has not taken. */
  abort(): void;
  /** Bytes that were written and have not been taken yet. */
  readonly pending: number;
}

export const isStream = (body: ApiResponse['body']): body is Stream => typeof body === 'function';

export const jsonType = 'application/json';

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return { status, headers: { 'content-type': jsonType }, body: [Buffer.from(`${JSON.stringify(value)}\n`)] };
}

export function textResponse(status: number, text: string): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: [Buffer.from(text)],
  };
}
