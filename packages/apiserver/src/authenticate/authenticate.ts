/**
 * Who is asking.
 *
 * Promises: a request without credentials is anonymous; one with a bearer token that does not count is refused.
 * Certificates are those that the server's own authority has signed; tokens are those that the server was given when it
 * was made, and those that it issues to service accounts.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from '../request/exchange.ts';
import { allAuthenticated, anonymous, type User, withGroup } from '../request/user.ts';
import { unauthorized } from '../status.ts';
import { issuer, type ServiceAccountTokens, type TokenBearer, TokenProblem } from './service-account-tokens.ts';

export type Tokens = ReadonlyMap<string, User>;

/** For whom tokens are meant that are shown to this server. */
export const serverAudiences: readonly string[] = [issuer];

export type Bearer =
  | ({ readonly type: 'known' } & TokenBearer)
  /** The token is unknown; `why` when it is one of ours. */
  | { readonly type: 'unknown'; readonly why: string | undefined };

export class Authenticator {
  readonly #tokens: Tokens;
  readonly #accountTokens: ServiceAccountTokens;

  constructor(tokens: Tokens, accountTokens: ServiceAccountTokens) {
    this.#tokens = tokens;
    this.#accountTokens = accountTokens;
  }

  /** The user of a request; remarks on its credentials go to `warnings`. */
  authenticate({ headers, credentials }: ApiRequest, warnings: string[]): User {
    if (credentials.certificate !== undefined) return withGroup(credentials.certificate, allAuthenticated);
    const token = bearerToken(headers.authorization, warnings);
    if (token === undefined) return anonymous;
    const bearer = this.bearerOf(token, serverAudiences);
    if (bearer.type === 'unknown') throw unauthorized();
    return bearer.user;
  }

  /** Whose a token is that is meant for one of these audiences. */
  bearerOf(token: string, audiences: readonly string[]): Bearer {
    for (const [known, user] of this.#tokens) {
      if (!isSame(known, token)) continue;
      const shared = serverAudiences.filter((audience) => audiences.includes(audience));
      if (shared.length > 0) return { type: 'known', user: withGroup(user, allAuthenticated), audiences: shared };
    }
    try {
      const bearer = this.#accountTokens.verify(token, audiences);
      if (bearer === undefined) return { type: 'unknown', why: undefined };
      return { type: 'known', user: withGroup(bearer.user, allAuthenticated), audiences: bearer.audiences };
    } catch (error) {
      if (error instanceof TokenProblem) return { type: 'unknown', why: error.message };
      throw error;
    }
  }
}

/** The token in an Authorization header of that scheme. */
export function bearerToken(header: string | undefined, warnings: string[]): string | undefined {
  const [scheme = '', token = '', ...rest] = (header ?? '').trim().split(' ');
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  if (token !== '') return token;
  if (rest.length > 0) {
    warnings.push('the provided Authorization header contains extra space before the bearer token, and is ignored');
  }
  return undefined;
}

function isSame(known: string, token: string): boolean {
  const a = Buffer.from(known);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
