/**
 * The way to an API server: a request value in, a status and a stream of bytes out.
 *
 * A transport knows addresses, connections and credentials; it knows nothing of kinds or verbs. Over the network it is
 * HTTPS, to an embedded cluster it is a function call, and a test may put one in between that fails on purpose.
 */

/** A request, before anyone has decided how it travels. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, such as `/apis/apps/v1/deployments?limit=500`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Ends the request, and the stream of its answer, as soon as it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The answer is open-ended (a watch, a log): it gets a connection of its own, so that it cannot starve requests. */
  readonly streaming?: boolean | undefined;
  /**
   * Of a stream: about how long (a quarter more at most) its bytes may be left unread once some were handed over, so that
   * what comes meanwhile is handed over in one piece; asked each time. A transport that has no wire may hand over
   * everything at once. @default 0
   */
  readonly gatherMs?: (() => number) | undefined;
  /**
   * Called right before the first byte is sent, however long the request had to wait for a connection; what it throws
   * prevents the sending and rejects the request. This is how a leader whose term has ended is kept from writing.
   */
  readonly beforeSend?: (() => void) | undefined;
}

/** The head of an answer, with a body that is read as it comes. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** To be read to its end, or left early (`return`), which closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The way to an API server: HTTP, or a server in the same process. */
export interface Transport extends AsyncDisposable {
  /** Rejects when there was no answer; an answer that reports a failure is a response like any other. */
  request(request: TransportRequest): Promise<TransportResponse>;
}
