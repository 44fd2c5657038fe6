/**
 * Who may read metrics: the API server is asked whose a token is (TokenReview) and whether that user may `get` the path
 * (SubjectAccessReview), as Kubebuilder's default has it.
 *
 * Promises: an answer is remembered, a yes for a minute and a no for half of one, in bounded memory and without the token
 * itself. When the API server cannot be asked, access is refused, and once a minute the log says why, without the token.
 * Strangers with ever new tokens cannot take the operator's connections from it: a few are asked about at once, and one
 * token once; the others are told to come later.
 */
import { createHash } from 'node:crypto';
import type { Client } from '@keelson/client';
import { type Clock, isForbidden } from '@keelson/core';
import { TokenReview } from '@keelson/core/authentication/v1';
import { SubjectAccessReview } from '@keelson/core/authorization/v1';
import type { Logger } from '../log/logger.ts';

export type Access = 'allowed' | 'unauthenticated' | 'forbidden' | 'busy';

export interface MetricsAccessOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Such as `/metrics`. */
  readonly path: string;
}

interface Remembered {
  readonly access: Access;
  readonly untilMs: number;
}

const tokenMs = 60_000;
const denialMs = 30_000;
const mostRemembered = 1000;
/** Of the 16 connections of a client, most stay free. */
const mostAtOnce = 4;
/** Long before a scraper gives up. */
const timeoutMs = 5000;
const quietMs = 60_000;
/** Of a token, in a text that is shown: what the client masks of its own. */
const pieceLength = 12;

/** Decides by the `authorization` header of a request. */
export function metricsAccess({ client, clock, logger, path }: MetricsAccessOptions) {
  const remembered = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Access>>();
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (error: unknown, token: string) => {
    if (clock.monotonic() - toldAt < quietMs) return;
    toldAt = clock.monotonic();
    logger.warn('Nobody may read metrics: the API server could not be asked', { problem: problemOf(error, token) });
  };
  const ask = async (token: string): Promise<Access> => {
    const review = await client.create(TokenReview, { spec: { token } }, { timeoutMs });
    const { authenticated, user } = review.status ?? {};
    if (!authenticated || user === undefined) return 'unauthenticated';
    const { username, uid, groups, extra } = user;
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } };
    const { status } = await client.create(SubjectAccessReview, { spec }, { timeoutMs });
    return status?.allowed ? 'allowed' : 'forbidden';
  };
  return async (authorization: string | undefined): Promise<Access> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return 'unauthenticated';
    const id = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(id);
    if (known !== undefined && clock.monotonic() < known.untilMs) return known.access;
    const shared = asking.get(id);
    if (shared !== undefined) return shared;
    if (asking.size >= mostAtOnce) return 'busy';
    const answer = ask(token).finally(() => asking.delete(id));
    asking.set(id, answer);
    // Those who share the answer share its failure; it is told once.
    answer.catch((error: unknown) => tell(error, token));
    const access = await answer;
    remembered.delete(id);
    remembered.set(id, { access, untilMs: clock.monotonic() + (access === 'allowed' ? tokenMs : denialMs) });
    const [oldest] = remembered.size > mostRemembered ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
    return access;
  };
}

/** A text, not the error: a stranger's token is no secret of the client's own, and whoever answers may quote it. */
function problemOf(error: unknown, token: string): string {
  const { message } = error as Error;
  if (isForbidden(error)) return `forbidden; missing rules: ${missingRules}`;
  for (let at = 0; at === 0 || at + pieceLength <= token.length; at++)
    if (message.includes(token.slice(at, at + pieceLength))) return 'the answer quotes the token, and is not shown';
  return message;
}

const missingRules = [
  'apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"]',
  'apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"]',
].join('; ');
