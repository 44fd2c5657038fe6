/** What others need to check the tokens of service accounts by themselves: who issues them, and the public key. */
import { issuer, type ServiceAccountTokens } from '../authenticate/service-account-tokens.ts';
import { assertAcceptable } from '../encode/negotiate.ts';
import { type ApiRequest, type ApiResponse, jsonType } from '../request/exchange.ts';

const keysPath = '/openid/v1/jwks';
const keysType = 'application/jwk-set+json';

/** `undefined` for every other path. */
export function issuerDiscovery(request: ApiRequest, tokens: ServiceAccountTokens): ApiResponse | undefined {
  const { path, method, host, headers } = request;
  if (method !== 'GET') return undefined;
  if (path === '/.well-known/openid-configuration') {
    assertAcceptable(jsonType, headers.accept);
    return published(jsonType, {
      issuer,
      jwks_uri: `https://${host}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [tokens.key.algorithm],
    });
  }
  if (path !== keysPath) return undefined;
  assertAcceptable(keysType, headers.accept);
  const { id, algorithm, jwk } = tokens.key;
  return published(keysType, { keys: [{ use: 'sig', kid: id, alg: algorithm, ...jwk }] });
}

const published = (type: string, value: object): ApiResponse => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
  body: [Buffer.from(JSON.stringify(value))],
});
