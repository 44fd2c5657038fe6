/** Why a registry was not reached, or no longer, in words that say what to do. What has nothing to do with it has none. */
import { DeadlineExceededError } from '@keelson/core';
import { CommandError } from '../command-error.ts';

/** The network is to blame: another call may work, and so may another registry. */
export class NetworkError extends CommandError {}

const again = 'call again: what has arrived is kept';
/** The connection was never there, as with what has no code, such as a port that fetch does not ask. */
const unreached =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;
const untrusted = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/;
const noTls = /wrong version number|packet length too long/i;

/** What a request to the host has failed of; nothing, if it was not the network, such as a full disk. */
export function networkFailure(error: unknown, host: string): CommandError | undefined {
  if (error instanceof DeadlineExceededError) {
    return new NetworkError(`the registry ${host} did not answer in ${Math.round(error.afterMs / 1000)} s`, again);
  }
  // What fetch throws: its reason is in the cause, or in the first of several that were tried.
  if (!(error instanceof TypeError)) return undefined;
  const { code, why } = reasonOf(error.cause);
  if (noTls.test(why)) {
    return new CommandError(`the registry ${host} speaks no TLS`, `if that is meant, say --plain-http ${host}`);
  }
  if (untrusted.test(code)) {
    const next = 'name the file of its authority in NODE_EXTRA_CA_CERTS';
    return new CommandError(`the certificate of the registry ${host} is not trusted (${why})`, next);
  }
  return code === '' || unreached.test(code)
    ? new NetworkError(`the registry ${host} cannot be reached (${why})`, `see that it runs, then ${again}`)
    : new NetworkError(`the connection to the registry ${host} broke (${why || error.message})`, again);
}

function reasonOf(cause: unknown): { readonly code: string; readonly why: string } {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  const { code = '', message = '' } = (cause ?? {}) as { readonly code?: unknown; readonly message?: string };
  return { code: String(code), why: message };
}
