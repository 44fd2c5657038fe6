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
  CONNECT_TIMEOUT: 'no connection could be made in time; is a firewall in between?',
  HEAD_TOO_LONG: 'the headers of its answer are too long; what answers there?',
  NOT_HTTP: 'it does not speak HTTP; should the address begin with https://?',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  CLOSED_EARLY: 'the connection was closed before the answer was complete',
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

/** By code: OpenSSL's alerts are dozens. */
const families: readonly (readonly [RegExp, string])[] = [
  [
    /^ERR_SSL_.*CERTIFICATE/,
    'it did not accept our client certificate; has it expired, or does another cluster own it?',
  ],
];

/** Failures that came after a connection stood: the server may or may not have acted. */
const brokenCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'CLOSED_EARLY']);

export class ClosedEarly extends Error {
  readonly code = 'CLOSED_EARLY';
}

export class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT';
}

export class HeadTooLong extends Error {
  readonly code = 'HEAD_TOO_LONG';
}

/** Says what is wrong, and quotes nothing of what came: it may be a Secret. */
export class NotHttp extends Error {
  readonly code = 'NOT_HTTP';
}

/** A `TransportError` that begins with the server's address. Errors of our own family pass unchanged. */
export function transportFailure(server: string, error: unknown): Error {
  return error instanceof OperatorError ? error : new TransportError(server, reasonOf(error), { cause: error });
}

/** What happened, without what could be done about it. */
export function shortReason(error: unknown): string {
  return reasonOf(error).split('; ')[0] ?? '';
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const reason = reasons[code] ?? families.find(([family]) => family.test(code))?.[1];
  return reason ?? (error instanceof Error ? error.message : String(error));
}

/** Whether a connection broke under a request, so that a request that may be repeated is worth repeating. */
export function isBrokenConnection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (brokenCodes.has(codeOf(at))) return true;
  return false;
}

/** The code of what the system or Node reports, or nothing. */
export function codeOf(error: unknown): string {
  // Trying several addresses of a host fails with an AggregateError; the first failure speaks for all.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, syscall } = (first ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  // Node says so of a connection that ended in an orderly way, too; what the system reports names the call that failed.
  if (code === 'ECONNRESET' && syscall === undefined) return 'CLOSED_EARLY';
  return typeof code === 'string' ? code : '';
}
