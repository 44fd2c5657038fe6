/**
 * What can be measured about requests. The names that client-go gives these figures are beside them; whoever implements
 * the observer knows the host, which is a label of all of them.
 *
 * Observers are called synchronously. What they throw is dropped: the request is not theirs.
 */
export interface RequestMetrics {
  /**
   * One attempt is over: `rest_client_requests_total{code,method,host}`, `rest_client_request_duration_seconds{verb}`,
   * `rest_client_request_size_bytes`, `rest_client_response_size_bytes`. A watch counts when it begins.
   */
  finished?(attempt: RequestAttempt): void;
  /** An attempt that was not the first of its call is over: `rest_client_request_retries_total{code,method,host}`. */
  retried?(attempt: Pick<RequestAttempt, 'method' | 'code'>): void;
  /** The client's own rate limit held a request back: `rest_client_rate_limiter_duration_seconds{verb}`. */
  throttled?(attempt: { readonly method: string; readonly waitedMs: number }): void;
}

/** One attempt at a request, as it ended. */
export interface RequestAttempt {
  readonly method: string;
  /** The status, or `<error>` when there was no answer, as client-go writes it. */
  readonly code: string;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}
