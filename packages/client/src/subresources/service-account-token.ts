/** A token for a service account, made by the server and valid for a while. */
import { type NamespacedName, parseKey } from '@keelson/core';
import type { TokenRequest } from '@keelson/core/authentication/v1';
import type { CallOptions, Client } from '../client/client.ts';
import { Secret } from '../config/secret.ts';
import { serviceAccounts } from './kinds.ts';

/** For whom the token is, and how long it lives. */
export interface TokenOptions extends CallOptions {
  /** Who shall accept it. @default the API server */
  readonly audiences?: readonly string[] | undefined;
  /** How long it shall live; the server may change that. @default 3600 */
  readonly expirationSeconds?: number | undefined;
  /** It ends with this object at the latest. */
  readonly boundTo?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid?: string;
  };
}

/** A token, and when it ends. */
export interface ServiceAccountToken {
  readonly token: Secret;
  /** Wall time in milliseconds. */
  readonly expiresAt: number;
}

/** Makes a token of a service account, which ends by itself. */
export async function requestToken(
  client: Client,
  serviceAccount: NamespacedName,
  options: TokenOptions = {},
): Promise<ServiceAccountToken> {
  const { audiences = [], expirationSeconds = 3600, boundTo, signal, timeoutMs } = options;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: parseKey(serviceAccount),
    spec: { audiences, expirationSeconds, boundObjectRef: boundTo },
  };
  const answer = await client.createSubresource(serviceAccounts, 'token', request, { signal, timeoutMs });
  const { token = '', expirationTimestamp } = (answer as TokenRequest).status ?? {};
  return { token: new Secret(token), expiresAt: Date.parse(expirationTimestamp ?? '') };
}
