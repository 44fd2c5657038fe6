/**
 * Tokens of service accounts: signed statements of who their bearer is, for whom they are meant and until when.
 *
 * Promises: a token counts as long as its time runs and its account, and the object that it is bound to, are the same
 * objects as when it was issued. Nothing of a token is stored; the key is made when the first token is wanted.
 */
import type { Clock, Random } from '@keelson/core';
import { type ApiObject, isObject } from '../object.ts';
import { credentialId, type User } from '../request/user.ts';
import { accountGroups, accountUserName } from './service-account-name.ts';
import { createSigningKey, type SigningKey } from './signing-key.ts';

export const issuer = 'https://kubernetes.default.svc.cluster.local';

/** Clocks may differ by so much: a token counts a minute longer than it says. */
const leewayMs = 60_000;

/** So many tokens whose signature was found good are remembered. */
const keptTokens = 1000;

interface Reference {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** What a token is bound to; a pod's token also names its node. */
export interface Bindings {
  readonly pod?: Reference | undefined;
  readonly secret?: Reference | undefined;
  readonly node?: Reference | undefined;
}

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly 'kubernetes.io': Bindings & {
    readonly namespace: string;
    readonly serviceaccount: Reference;
    readonly warnafter?: number | undefined;
  };
  readonly nbf: number;
  readonly sub: string;
}

/** Why a token that is one of ours does not count. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
}

export interface TokenBearer {
  readonly user: User;
  readonly audiences: readonly string[];
}

export interface Issue {
  readonly account: ApiObject;
  readonly bindings: Bindings;
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** After this time the token is old, and still good. */
  readonly warnAfterSeconds?: number | undefined;
}

type Find = (collection: string, key: string) => ApiObject | undefined;

export class ServiceAccountTokens {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #find: Find;
  #key: SigningKey | undefined;
  readonly #verified = new Map<string, Claims>();

  constructor({ clock, random, find }: { readonly clock: Clock; readonly random: Random; readonly find: Find }) {
    this.#clock = clock;
    this.#random = random;
    this.#find = find;
  }

  get key(): SigningKey {
    this.#key ??= createSigningKey(this.#random);
    return this.#key;
  }

  issue({ account, bindings, audiences, seconds, warnAfterSeconds }: Issue): string {
    const { key } = this;
    const { namespace = '', name = '', uid } = account.metadata;
    const now = Math.floor(this.#clock.now() / 1000);
    const { node, pod, secret } = bindings;
    const claims: Claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: this.#random.uuid(),
      'kubernetes.io': {
        namespace,
        node,
        pod,
        secret,
        serviceaccount: { name, uid },
        warnafter: warnAfterSeconds === undefined ? undefined : now + warnAfterSeconds,
      },
      nbf: now,
      sub: accountUserName(namespace, name),
    };
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
    return `${signed}.${key.sign(signed).toString('base64url')}`;
  }

  /** Whose the token is; `undefined` when it is none of ours, a `TokenProblem` when it is and does not count. */
  verify(token: string, audiences: readonly string[]): TokenBearer | undefined {
    const claims = this.#verified.get(token) ?? this.#claimsOf(token);
    if (claims === undefined) return undefined;
    const shared = claims.aud.filter((audience) => audiences.includes(audience));
    if (shared.length === 0) {
      throw new TokenProblem(
        `token audiences ${shown(claims.aud)} is invalid for the target audiences ${shown(audiences)}`,
      );
    }
    this.#assertTime(claims);
    this.#assertObjects(claims['kubernetes.io']);
    return { user: userOf(claims), audiences: shared };
  }

  /** The claims of a token whose signature is good. */
  #claimsOf(token: string): Claims | undefined {
    const parts = token.split('.');
    const [header = '', payload = '', signature = ''] = parts;
    // Believed once the signature, which is ours, is good.
    const claims = decoded(payload) as Claims | undefined;
    if (parts.length !== 3 || claims?.iss !== issuer) return undefined;
    const { kid } = (decoded(header) ?? {}) as { readonly kid?: unknown };
    if (typeof kid === 'string' && kid !== '' && kid !== this.key.id) {
      throw new TokenProblem('invalid signature, no keys found');
    }
    if (!this.key.isSigned(`${header}.${payload}`, Buffer.from(signature, 'base64url'))) {
      throw new TokenProblem('go-jose/go-jose: error in cryptographic primitive');
    }
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= keptTokens && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(token, claims);
    return claims;
  }

  #assertTime({ exp, nbf, iat }: Claims): void {
    const now = this.#clock.now();
    if (now + leewayMs < nbf * 1000) throw new TokenProblem('service account token is not valid yet');
    if (now - leewayMs > exp * 1000) throw new TokenProblem('service account token has expired');
    if (now + leewayMs < iat * 1000) throw new TokenProblem('service account token is issued in the future');
  }

  #assertObjects({ namespace, serviceaccount, pod, secret, node }: Claims['kubernetes.io']): void {
    const account = this.#find('serviceaccounts', `${namespace}/${serviceaccount.name}`);
    if (account === undefined) throw new TokenProblem(`serviceaccounts "${serviceaccount.name}" not found`);
    if (account.metadata.uid !== serviceaccount.uid) {
      throw new TokenProblem(
        `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`,
      );
    }
    if (this.#isDeleted(account)) {
      throw new TokenProblem(`service account ${namespace}/${serviceaccount.name} has been deleted`);
    }
    if (secret !== undefined) this.#assertBound('secret', this.#find('secrets', `${namespace}/${secret.name}`), secret);
    if (pod !== undefined) this.#assertBound('pod', this.#find('pods', `${namespace}/${pod.name}`), pod);
    // The node of a pod's token is a remark.
    else if (node !== undefined) this.#assertBound('node', this.#find('nodes', node.name), node);
  }

  #assertBound(kind: string, found: ApiObject | undefined, { uid }: Reference): void {
    if (found === undefined) throw new TokenProblem('service account token has been invalidated');
    if (found.metadata.uid !== uid) {
      throw new TokenProblem(
        `${kind} UID (${found.metadata.uid}) does not match service account ${kind} ref claim (${uid})`,
      );
    }
    if (this.#isDeleted(found)) throw new TokenProblem('service account token has been invalidated');
  }

  #isDeleted({ metadata: { deletionTimestamp } }: ApiObject): boolean {
    return Boolean(deletionTimestamp) && Date.parse(deletionTimestamp ?? '') < this.#clock.now() - leewayMs;
  }
}

function decoded(part: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A list of texts as Go prints it. */
const shown = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

function userOf({ jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: Claims): User {
  const about = 'authentication.kubernetes.io';
  return {
    name: accountUserName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: accountGroups(namespace),
    extra: {
      [credentialId]: [`JTI=${jti}`],
      ...(node !== undefined && { [`${about}/node-name`]: [node.name] }),
      ...(node?.uid !== undefined && { [`${about}/node-uid`]: [node.uid] }),
      ...(pod !== undefined && { [`${about}/pod-name`]: [pod.name], [`${about}/pod-uid`]: [pod.uid ?? ''] }),
    },
  };
}
