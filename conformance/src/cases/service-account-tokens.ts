/** Tokens of service accounts: asking for one, being somebody by one, asking whose one is, and when one no longer counts. */
import type { Area } from '../case.ts';
import type { Answer, Fields } from '../exchange.ts';
import { as, mayNot, mayNotPath, serviceAccount } from '../identities.ts';
import { exactly, timestamp } from '../match.ts';
import { pod } from '../objects.ts';
import { pods, secrets, selfSubjectReviews, serviceAccounts, tokenReviews } from '../paths.ts';
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const kind = 'TokenRequest.authentication.k8s.io';

interface Claims extends Fields {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly iss: string;
  readonly jti: string;
}

const part = (token: string, index: number): unknown =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());

const claimsOf = (token: string): Claims => part(token, 1) as Claims;

/** The server asks its clock once for the token and once for the answer, so a second may end in between. */
const endsAt = (seconds: number) =>
  function expirationTimestamp(value: unknown) {
    return Math.abs(Date.parse(String(value)) / 1000 - seconds) <= 1;
  };

const tokenOf = (answer: Answer): string => String(answer.is(201).status.token);

/** A service account, and the path at which it gets its tokens. */
async function account(t: Trial, namespace: string, name = 'account') {
  const { metadata } = (await t.post(serviceAccounts(namespace), { metadata: { name } })).is(201);
  return { uid: metadata.uid, path: `${serviceAccounts(namespace)}/${name}/token` };
}

const review = (t: Trial, token: string, audiences?: readonly string[]) =>
  t.post(tokenReviews, { spec: { token, ...(audiences && { audiences }) } });

/** Nobody may have asked about the token before: a server remembers for some seconds that it was good. */
const isRefused = async (t: Trial, token: string, why: string) => {
  (await review(t, token)).is(201, {
    status: exactly({ user: {}, error: `[invalid bearer token, ${why}]` }),
  });
  (await t.session.stranger.send('GET', '/api', { headers: { authorization: `Bearer ${token}` } })).refuses({
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  });
};

/** Several tokens alike, for `isEnded`. */
const alike = async (ask: () => Promise<Answer>): Promise<readonly string[]> => {
  const tokens: string[] = [];
  for (let count = 0; count < 5; count += 1) tokens.push(tokenOf(await ask()));
  return tokens;
};

/**
 * A server may hear of a deletion a moment late, and a token that it took in that moment is good for seconds. So each
 * look is at another one.
 */
const isEnded = async (t: Trial, tokens: readonly string[], why: string) => {
  let looks = 0;
  await t.eventually(async () => {
    const token = tokens[Math.min(looks, tokens.length - 1)] ?? '';
    looks += 1;
    await isRefused(t, token, why);
  });
};

const refused = (field: string, value: unknown, why: string) => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

export const serviceAccountTokens: Area = {
  name: 'service account tokens',
  proves: ['U1'],
  cases: {
    'a request for a token is answered with itself, filled in, and the token': async (t) => {
      const namespace = await t.namespace();
      const { path, uid } = await account(t, namespace);
      const body = { metadata: { labels: { a: 'b' } }, status: { token: 'mine' } };
      const answer = await t.post(path, body);
      const { spec } = answer.is(201);
      const [audience] = spec.audiences as readonly string[];
      answer.judge(
        { ...answer.body, metadata: { ...answer.body.metadata, managedFields: undefined } },
        exactly({
          kind: 'TokenRequest',
          apiVersion: 'authentication.k8s.io/v1',
          metadata: {
            name: 'account',
            namespace,
            uid,
            creationTimestamp: timestamp,
            labels: { a: 'b' },
            managedFields: undefined,
          },
          spec: { audiences: [audience], expirationSeconds: 3600, boundObjectRef: null },
          status: { token: /^[\w-]+\.[\w-]+\.[\w-]+$/, expirationTimestamp: timestamp },
        }),
      );
      answer.judge(answer.body.metadata.managedFields, [
        { operation: 'Update', subresource: 'token', apiVersion: 'authentication.k8s.io/v1' },
      ]);
      (await t.get(path.replace('/token', ''))).is(200, { metadata: { labels: undefined } });
    },

    'a token says who its bearer is, who issued it and how long it holds': async (t) => {
      const namespace = await t.namespace();
      const { path, uid } = await account(t, namespace);
      const answer = await t.post(path, { spec: { expirationSeconds: 700 } });
      const token = tokenOf(answer);
      const { aud, iss, iat } = claimsOf(token);
      answer.judge(part(token, 0), exactly({ alg: /^(RS|ES)\d+$/, kid: /^[\w-]+$/ }), 'header');
      answer.judge(
        part(token, 1),
        exactly({
          aud: [/./],
          exp: iat + 700,
          iat,
          iss,
          jti: /^[0-9a-f-]{36}$/,
          'kubernetes.io': { namespace, serviceaccount: { name: 'account', uid } },
          nbf: iat,
          sub: `system:serviceaccount:${namespace}:account`,
        }),
        'claims',
      );
      answer.is(201, { spec: { audiences: aud, expirationSeconds: 700 } });
      answer.judge(answer.body.status.expirationTimestamp, endsAt(iat + 700));
    },

    'the bearer of a token is its account': async (t) => {
      const namespace = await t.namespace();
      const { path, uid } = await account(t, namespace);
      const token = tokenOf(await t.post(path, {}));
      const headers = { authorization: `Bearer ${token}` };
      const { stranger } = t.session;
      const user = `system:serviceaccount:${namespace}:account`;
      (await stranger.send('GET', pods(namespace), { headers })).refuses(
        mayNot({ user, verb: 'list', resource: 'pods', namespace }),
      );
      const { aud, jti } = claimsOf(token);
      const userInfo = {
        username: user,
        uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
      };
      (await stranger.send('POST', selfSubjectReviews, { headers, body: {} })).is(201, {
        status: exactly({ userInfo }),
      });
      (await review(t, token)).is(201, {
        kind: 'TokenReview',
        spec: exactly({ token }),
        status: exactly({ authenticated: true, user: userInfo, audiences: aud }),
      });
    },

    'a token holds for its audiences': async (t) => {
      const { path } = await account(t, await t.namespace());
      const { aud } = claimsOf(tokenOf(await t.post(path, {})));
      const [own] = aud;
      const vault = await t.post(path, { spec: { audiences: ['vault', 'safe'] } });
      vault.is(201, { spec: { audiences: ['vault', 'safe'] } });
      const token = tokenOf(vault);
      vault.judge(claimsOf(token).aud, ['vault', 'safe']);
      await isRefused(t, token, `token audiences ["vault" "safe"] is invalid for the target audiences ["${own}"]`);
      (await review(t, token, ['other', 'safe'])).is(201, { status: { authenticated: true, audiences: ['safe'] } });
      (await review(t, token, ['other'])).is(201, {
        status: exactly({
          user: {},
          error:
            '[invalid bearer token, token audiences ["vault" "safe"] is invalid for the target audiences ["other"]]',
        }),
      });
    },

    'a token holds for ten minutes at least and for 2^32 seconds at most': async (t) => {
      const { path } = await account(t, await t.namespace());
      for (const seconds of [599, 0, -1]) {
        (await t.post(path, { spec: { expirationSeconds: seconds } })).refuses(
          invalid(
            kind,
            '',
            refused('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'),
          ),
        );
      }
      (await t.post(path, { spec: { expirationSeconds: 2 ** 32 + 1 } })).refuses(
        invalid(
          kind,
          '',
          refused('spec.expirationSeconds', 2 ** 32 + 1, 'may not specify a duration larger than 2^32 seconds'),
        ),
      );
      (await t.post(path, { spec: { expirationSeconds: 600 } })).is(201);
    },

    'what a request says of its account must be so': async (t) => {
      const namespace = await t.namespace();
      const { path, uid } = await account(t, namespace);
      (await t.post(path, { metadata: { name: 'account', namespace, uid } })).is(201);
      (await t.post(path, { metadata: { name: 'other' } })).refuses(
        invalid(kind, 'account', refused('metadata.name', 'other', 'must match the service account name if specified')),
      );
      (await t.post(path, { metadata: { namespace: 'other' } })).refuses(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
      (await t.post(path, { metadata: { uid: 'other' } })).refuses(
        conflict(
          kind,
          'account',
          `the UID in the token request (other) does not match the UID of the service account (${uid})`,
        ),
      );
      (await t.post(`${serviceAccounts(namespace)}/none/token`, {})).refuses(notFound('serviceaccounts', 'none'));
    },

    'a request must be one': async (t) => {
      const { path } = await account(t, await t.namespace());
      (await t.post(path, 'nonsense')).refuses(
        badRequest(
          "the object provided is unrecognized (must be of type TokenRequest): couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u') (6e6f6e73656e7365)",
        ),
      );
      (await t.post(path, { no: 1 }, { query: { fieldValidation: 'Strict' } })).refuses(
        badRequest(
          'TokenRequest in version "v1" cannot be handled as a TokenRequest: strict decoding error: unknown field "no"',
        ),
      );
      (await t.get(path)).refuses(methodNotAllowed);
    },

    'tokens are for those who may ask for them': async (t) => {
      const namespace = await t.namespace();
      const { path } = await account(t, namespace);
      const jane = t.name('jane');
      (await t.post(path, {}, as(jane))).refuses(
        mayNot({
          user: jane,
          verb: 'create',
          resource: 'serviceaccounts',
          subresource: 'token',
          namespace,
          name: 'account',
        }),
      );
    },

    'a dry run gives a token too': async (t) => {
      const { path } = await account(t, await t.namespace());
      const token = tokenOf(await t.post(path, {}, { query: { dryRun: 'All' } }));
      (await review(t, token)).is(201, { status: { authenticated: true } });
    },

    'a token can be bound to a secret, and ends with it': async (t) => {
      const namespace = await t.namespace();
      const { path } = await account(t, namespace);
      const make = async (name: string) => (await t.post(secrets(namespace), { metadata: { name } })).is(201).metadata;
      const { uid } = await make('bound');
      const request = { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'bound' } } };
      const answer = await t.post(path, request);
      answer.is(201, { spec: { boundObjectRef: exactly({ kind: 'Secret', apiVersion: 'v1', name: 'bound' }) } });
      const token = tokenOf(answer);
      answer.judge(claimsOf(token)['kubernetes.io'], { secret: { name: 'bound', uid } });
      (await review(t, token)).is(201, { status: { authenticated: true } });
      const [first, second] = [await alike(() => t.post(path, request)), await alike(() => t.post(path, request))];
      (await t.delete(`${secrets(namespace)}/bound`)).is(200);
      await isEnded(t, first, 'service account token has been invalidated');
      const { uid: other } = await make('bound');
      await isEnded(t, second, `secret UID (${other}) does not match service account secret ref claim (${uid})`);
    },

    'a token can be bound to a pod of the account, and tells which': async (t) => {
      const namespace = await t.namespace();
      const { path } = await account(t, namespace);
      const other = await account(t, namespace, 'other');
      const { metadata } = (await t.post(pods(namespace), pod('bound', { serviceAccountName: 'account' }))).is(201);
      const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'bound', uid: metadata.uid };
      const ask = () => t.post(path, { spec: { boundObjectRef } });
      const token = tokenOf(await ask());
      t.last?.judge(claimsOf(token)['kubernetes.io'], { pod: { name: 'bound', uid: metadata.uid } });
      (await review(t, token)).is(201, {
        status: {
          user: {
            extra: exactly({
              'authentication.kubernetes.io/credential-id': [/^JTI=/],
              'authentication.kubernetes.io/pod-name': ['bound'],
              'authentication.kubernetes.io/pod-uid': [metadata.uid],
            }),
          },
        },
      });
      (await t.post(other.path, { spec: { boundObjectRef } })).refuses(
        badRequest('cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.'),
      );
      const others = await alike(ask);
      (await t.delete(`${pods(namespace)}/bound`, { query: { gracePeriodSeconds: 0 } })).is(200);
      await isEnded(t, others, 'service account token has been invalidated');
    },

    'the token of a pod that has a node names it, and the hour that pods are given is meant as a year': async (t) => {
      const namespace = await t.namespace();
      const { path } = await account(t, namespace);
      const node = t.name('node');
      (await t.post('/api/v1/nodes', { metadata: { name: node } })).is(201);
      (await t.post(pods(namespace), pod('bound', { serviceAccountName: 'account', nodeName: node }))).is(201);
      const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'bound' };
      const answer = await t.post(path, { spec: { boundObjectRef, expirationSeconds: 3607 } });
      const claims = claimsOf(tokenOf(answer));
      const { iat } = claims;
      answer.judge(
        claims,
        { exp: iat + 365 * 24 * 3600, 'kubernetes.io': { node: { name: node }, warnafter: iat + 3607 } },
        'claims',
      );
      answer.is(201, { spec: { expirationSeconds: 3607 } });
      answer.judge(answer.body.status.expirationTimestamp, endsAt(iat + 3607));
      (await review(t, tokenOf(answer))).is(201, {
        status: { user: { extra: { 'authentication.kubernetes.io/node-name': [node] } } },
      });
    },

    'a token can be bound to a node': async (t) => {
      const { path } = await account(t, await t.namespace());
      const node = t.name('node');
      const { metadata } = (await t.post('/api/v1/nodes', { metadata: { name: node } })).is(201);
      const boundObjectRef = { kind: 'Node', apiVersion: 'v1', name: node };
      const ask = () => t.post(path, { spec: { boundObjectRef } });
      (await review(t, tokenOf(await ask()))).is(201, {
        status: {
          user: {
            extra: {
              'authentication.kubernetes.io/node-name': [node],
              'authentication.kubernetes.io/node-uid': [metadata.uid],
            },
          },
        },
      });
      // The year is for pods.
      const hour = claimsOf(tokenOf(await t.post(path, { spec: { boundObjectRef, expirationSeconds: 3607 } })));
      t.last?.judge(hour.exp, hour.iat + 3607);
      const others = await alike(ask);
      (await t.delete(`/api/v1/nodes/${node}`)).is(200);
      await isEnded(t, others, 'service account token has been invalidated');
    },

    'a token is bound to nothing else, and to nothing that is not there': async (t) => {
      const namespace = await t.namespace();
      const { path } = await account(t, namespace);
      const ask = (boundObjectRef: object) => t.post(path, { spec: { boundObjectRef } });
      (await ask({ kind: 'Pod', apiVersion: 'v1', name: 'none' })).refuses(notFound('pods', 'none'));
      (await ask({ kind: 'Secret', apiVersion: 'v1', name: 'none' })).refuses(notFound('secrets', 'none'));
      (await ask({ kind: 'ConfigMap', apiVersion: 'v1', name: 'none' })).refuses(
        badRequest('cannot bind token to object of type /v1, Kind=ConfigMap'),
      );
      (await ask({ kind: 'Deployment', apiVersion: 'apps/v1', name: 'none' })).refuses(
        badRequest('cannot bind token to object of type apps/v1, Kind=Deployment'),
      );
      (await ask({ kind: 'constructor', apiVersion: 'v1', name: 'none' })).refuses(
        badRequest('cannot bind token to object of type /v1, Kind=constructor'),
      );
      (await ask({})).refuses(badRequest('cannot bind token to object of type /, Kind='));
      (await t.post(secrets(namespace), { metadata: { name: 'bound' } })).is(201);
      (await ask({ kind: 'Secret', apiVersion: 'v1', name: 'bound', uid: 'other' })).refuses(
        conflict(
          'Secret',
          'bound',
          'the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
        ),
      );
    },

    'a token ends with its account': async (t) => {
      const namespace = await t.namespace();
      const { path, uid } = await account(t, namespace);
      const [first, second] = [await alike(() => t.post(path, {})), await alike(() => t.post(path, {}))];
      (await t.delete(`${serviceAccounts(namespace)}/account`)).is(200);
      await isEnded(t, first, 'serviceaccounts "account" not found');
      const { uid: other } = await account(t, namespace);
      await isEnded(t, second, `service account UID (${other}) does not match claim (${uid})`);
    },

    'a token that was tampered with is refused': async (t) => {
      const { token } = await serviceAccount(t, await t.namespace());
      const [header = '', payload = '', signature = ''] = token.split('.');
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const forged = encode({ ...claimsOf(token), sub: 'system:admin' });
      const broken = 'go-jose/go-jose: error in cryptographic primitive';
      await isRefused(t, [header, forged, signature].join('.'), broken);
      await isRefused(t, [header, payload, ''].join('.'), broken);
      await isRefused(t, [encode({ alg: 'none' }), payload, signature].join('.'), broken);
      const { alg } = part(token, 0) as { alg: string };
      await isRefused(
        t,
        [encode({ alg, kid: 'other' }), payload, signature].join('.'),
        'invalid signature, no keys found',
      );
      // What another issuer says of itself is nobody's.
      const foreign = [header, encode({ iss: 'https://example.com' }), signature].join('.');
      (await review(t, foreign)).is(201, { status: exactly({ user: {}, error: 'invalid bearer token' }) });
    },

    'a review needs a token, and somebody who may ask': async (t) => {
      (await t.post(tokenReviews, { spec: {} })).refuses(
        badRequest('token is required for TokenReview in authentication'),
      );
      (await review(t, 'nonsense')).is(201, { status: exactly({ user: {}, error: 'invalid bearer token' }) });
      const jane = t.name('jane');
      (await t.post(tokenReviews, { spec: { token: 'a' } }, as(jane))).refuses(
        mayNot({ user: jane, verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' }),
      );
    },

    'service accounts may learn by which key tokens are checked': async (t) => {
      const { token, user } = await serviceAccount(t, await t.namespace());
      const { iss } = claimsOf(token);
      const { kid, alg } = part(token, 0) as { kid: string; alg: string };
      const configuration = await t.get('/.well-known/openid-configuration', as(user));
      configuration.is(200, {
        issuer: iss,
        jwks_uri: /\/openid\/v1\/jwks$/,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [alg],
      });
      configuration.has('content-type', 'application/json');
      configuration.has('cache-control', 'public, max-age=3600');
      const { headers } = as(user);
      const accept = 'application/jwk-set+json';
      const keys = await t.get('/openid/v1/jwks', { headers: { ...headers, accept } });
      keys.is(200, { keys: [{ use: 'sig', kty: /^(RSA|EC)$/, kid, alg }] });
      keys.has('content-type', accept);
      (await t.get('/openid/v1/jwks', as(user))).refuses({
        code: 406,
        reason: 'NotAcceptable',
        message: `406: Not Acceptable\n\nAvailable representations: ${accept}`,
        details: {},
      });
      const jane = t.name('jane');
      (await t.get('/openid/v1/jwks', as(jane))).refuses(mayNotPath(jane, 'get', '/openid/v1/jwks'));
    },
  },
};
