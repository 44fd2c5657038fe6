/** Turns what a socket reports into a sentence that says what to do about it. */
import { OperatorError, TransportError } from '@keelson/core';

/** Reasons that a look at the network, the address or the configuration can mend. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is the cluster running there?',
  ENOTFOUND: 'this host name is not known; is the address right?',
  EAI_AGAIN: 'the host name cannot be looked up now; is there a network?',
  EHOSTUNREACH: 'there is no route to this host; is there a network?',
  ENETUNREACH: 'there is no route to this network; is there a network?',
  ETIMEDOUT: 'the connection timed out; is a firewall in between?',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time; is a firewall in between?',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CLOSED: 'the transport is closed',
  UND_ERR_DESTROYED: 'the transport is closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not trusted; is certificate-authority right?',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority; is certificate-authority right?',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown authority; is certificate-authority right?',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown authority; is certificate-authority right?',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an unknown authority; is certificate-authority right?',
  CERT_SIGNATURE_FAILURE: 'its certificate comes from an unknown authority; is certificate-authority right?',
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it there, or is the clock of this machine wrong?',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; is the clock right?',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host; is the address right, or tls-server-name missing?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; should the address begin with http://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; should the address begin with http://?',
  ERR_SSL_HTTP_REQUEST: 'it does not speak TLS; should the address begin with http://?',
};

/** By code or, where undici has none, by name: OpenSSL's alerts and the HTTP parser's complaints are dozens. */
const families: readonly (readonly [RegExp, string])[] = [
  [
    /^ERR_SSL_.*CERTIFICATE/,
    'it did not accept our client certificate; has it expired, or does another cluster own it?',
  ],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'the headers of its answer are too long; what answers there?'],
  [/^HTTPParserError$/, 'it does not speak HTTP; should the address begin with https://?'],
];

/** Failures that came after a connection stood: the server may or may not have acted. */
const brokenCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A `TransportError` that begins with the server's address. Errors of our own family pass unchanged. */
export function transportFailure(server: string, error: unknown): Error {
  // The HTTP parser's errors carry all that it had read: pages of it, which whoever prints the cause would print.
  if (error instanceof Error && 'data' in error) error.data = undefined;
  return error instanceof OperatorError ? error : new TransportError(server, reasonOf(error), { cause: error });
}

/** What happened, without what could be done about it. */
export function shortReason(error: unknown): string {
  return reasonOf(error).split('; ')[0] ?? '';
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : '';
  const reason = reasons[code] ?? families.find(([family]) => family.test(code) || family.test(name))?.[1];
  return reason ?? (error instanceof Error ? error.message : String(error));
}

/** Whether a connection broke under a request, so that a request that may be repeated is worth repeating. */
export function isBrokenConnection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (brokenCodes.has(codeOf(at))) return true;
  return false;
}

/** The code of what the system or undici reports, or nothing. */
export function codeOf(error: unknown): string {
  // Trying several addresses of a host fails with an AggregateError; the first failure speaks for all.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = (first as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
