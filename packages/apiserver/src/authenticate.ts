/**
 * Who is asking.
 *
 * Promises: a request without credentials is anonymous; one with credentials that are not known is refused. Tokens are
 * those the server was given when it was made; certificates are those its own CA has signed.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from './exchange.ts';
import { unauthorized } from './status.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
}

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The user of an administrator's kubeconfig, as kubeadm makes it. */
export const administrator: User = { name: 'kubernetes-admin', groups: ['system:masters'] };

export type Tokens = ReadonlyMap<string, User>;

const authenticated = (user: User): User => ({ ...user, groups: [...user.groups, 'system:authenticated'] });

export function authenticate({ headers, credentials }: ApiRequest, tokens: Tokens): User {
  if (credentials.certificate !== undefined) return authenticated(credentials.certificate);
  const { authorization } = headers;
  if (authorization === undefined) return anonymous;
  const token = /^bearer\s+(?<token>\S+)\s*$/i.exec(authorization)?.groups?.token;
  if (token === undefined) return anonymous;
  for (const [known, user] of tokens) if (isSame(known, token)) return authenticated(user);
  throw unauthorized();
}

function isSame(known: string, token: string): boolean {
  const a = Buffer.from(known);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
