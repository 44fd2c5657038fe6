/** Webhooks that hang, break, answer something else, or cannot be reached: who is refused then, and in which words. */
import type { Area, Proof } from '../case.ts';
import type { Refusal } from '../exchange.ts';
import { configMaps } from '../paths.ts';
import type { Trial } from '../trial.ts';
import {
  type Answering,
  allowed,
  base64,
  denied,
  type Entry,
  failedCalling,
  type Hook,
  type HookType,
  hook,
  hooks,
  internalError,
  patched,
  type Reply,
  reviewed,
  variants,
  WebhookServer,
} from '../webhooks.ts';

type Failure = readonly [entry: Entry, refusal: (hook: Hook) => Refusal];
type Failures = Readonly<Record<string, Failure>>;

const types: readonly HookType[] = ['mutating', 'validating'];
const replies =
  (reply: Reply): Answering =>
  () =>
    reply;
const text = (status: number, body: string): Entry => ({
  answer: replies({ status, headers: { 'content-type': 'text/plain' }, body }),
});
const called = (why: string) => (made: Hook) => failedCalling(made, `failed to call webhook: ${why}`);
const invalid = (why: string) => (made: Hook) => failedCalling(made, `received invalid webhook response: ${why}`);
const posted = (why: string) => (made: Hook) => called(`Post "${made.url}?timeout=10s": ${why}`)(made);

/** Each is refused in these words, and passed over where the configuration says so. */
function failing(failures: (t: Trial) => Promise<Failures>, only: readonly HookType[] = types): Proof {
  return async (t) => {
    const all = await failures(t);
    const entries = Object.entries(all).flatMap(([name, [entry]]) => [
      [name, entry] as const,
      [`${name}-ignored`, { ...entry, failurePolicy: 'Ignore' }] as const,
    ]);
    for (const type of only) {
      const { attempt } = await variants(t, type, Object.fromEntries(entries));
      for (const [name, [, refusal]] of Object.entries(all)) {
        const { answer, hook: made } = await attempt(name);
        answer.refuses(refusal(made));
        const ignored = await attempt(`${name}-ignored`);
        ignored.answer.is(201, { metadata: { name: `${name}-ignored` } });
      }
    }
  };
}

const byCode: Failures = {
  panicked: [
    text(500, 'panic: oh no'),
    called('an error on the server ("panic: oh no") has prevented the request from succeeding'),
  ],
  empty: [text(500, ''), called('an error on the server ("") has prevented the request from succeeding')],
  status: [
    {
      answer: replies({
        status: 500,
        body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'broken', code: 500 },
      }),
    },
    called('broken'),
  ],
  'not-found': [text(404, '404 page not found'), called('the server could not find the requested resource')],
  'bad-request': [text(400, 'bad'), called('the server rejected our request for an unknown reason')],
  unauthorized: [text(401, 'bad'), called('the server has asked for the client to provide credentials')],
  forbidden: [text(403, 'bad'), called('bad')],
  method: [text(405, 'bad'), called('the server does not allow this method on the requested resource')],
  media: [text(415, 'bad'), called('bad')],
  unprocessable: [text(422, 'bad'), called('the server rejected our request due to an error in our request')],
  'too-many': [
    text(429, 'bad'),
    called('the server has received too many requests and has asked us to try again later'),
  ],
  unavailable: [text(503, 'bad'), called('the server is currently unable to handle the request')],
  gateway: [
    text(504, 'bad'),
    called('the server was unable to return a response in the time allotted, but may still be processing the request'),
  ],
};

const struct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const noObject = (found: string) =>
  called(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go value of type ${struct}`,
  );
const unregistered = (kind: string, version: string) =>
  called(`no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`);
const absent = invalid('webhook response was absent');

const garbage: Failures = {
  word: [{ answer: replies({ body: 'hello' }) }, noObject('string')],
  page: [{ answer: replies({ headers: { 'content-type': 'text/html' }, body: '<html></html>' }) }, noObject('string')],
  nothing: [
    { answer: replies({ body: '' }) },
    called('0-length response with status code: 200 and content type: application/json'),
  ],
  null: [{ answer: replies({ body: 'null' }) }, absent],
  number: [{ answer: replies({ body: '5' }) }, noObject('number')],
  list: [{ answer: replies({ body: '[]' }) }, noObject('array')],
  unfinished: [
    { answer: replies({ body: '{"kind":"AdmissionReview","response":{' }) },
    called("couldn't get version/kind; json parse error: unexpected end of JSON input"),
  ],
  'no-kind': [{ answer: replies({ body: {} }) }, absent],
  'other-kind': [{ answer: replies({ body: { kind: 'Pod', apiVersion: 'v1' } }) }, unregistered('Pod', 'v1')],
  'other-version': [
    {
      answer: ({ request: { uid } }) => ({
        body: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', response: { uid, allowed: true } },
      }),
    },
    called('converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'),
  ],
  'no-response': [
    { answer: replies({ body: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } }) },
    absent,
  ],
  type: [
    { answer: (review) => reviewed(review, { allowed: 'yes' }) },
    called('json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool'),
  ],
};

const uid = (got: string): Failure => [
  { answer: (review) => reviewed(review, { allowed: true, uid: got === '' ? undefined : got }) },
  (made) => invalid(`expected response.uid="${made.reviews[0]?.request.uid}", got "${got}"`)(made),
];

const unusablePatches: Failures = {
  'no-type': [
    { answer: patched([], { patchType: undefined }) },
    invalid('webhook returned response.patch but not response.patchType'),
  ],
  'type-alone': [
    { answer: (review) => reviewed(review, { allowed: true, patchType: 'JSONPatch' }) },
    invalid('webhook returned response.patchType but not response.patch'),
  ],
  'empty-type': [
    { answer: patched([], { patchType: '' }) },
    invalid('webhook returned invalid response.patchType of ""'),
  ],
  'other-type': [
    { answer: patched([{ op: 'add', path: '/data', value: {} }], { patchType: 'MergePatch' }) },
    (made) => failedCalling(made, 'unsupported patch type "MergePatch"'),
  ],
  base64: [
    { answer: (review) => reviewed(review, { allowed: true, patchType: 'JSONPatch', patch: '[{"op"' }) },
    called('illegal base64 data at input byte 0'),
  ],
  word: [{ answer: patched('hello') }, undecodable("invalid character 'h' looking for beginning of value")],
  object: [{ answer: patched({}) }, undecodable('json: cannot unmarshal object into Go value of type jsonpatch.Patch')],
  numbers: [
    { answer: patched('[5]') },
    undecodable('json: cannot unmarshal number into Go value of type jsonpatch.Operation'),
  ],
};

function undecodable(why: string) {
  return (made: Hook) => failedCalling(made, `received undecodable patch in webhook response: ${why}`);
}

/** A failure policy does not help against these: it is the object that cannot be changed so. */
const misfits: Readonly<Record<string, readonly [patch: unknown, message: string]>> = {
  operation: [[{ op: 'jump', path: '/data' }], 'Unexpected kind: jump'],
  'no-operation': [[{ path: '/data' }], 'Unexpected kind: unknown'],
  'no-path': [[{ op: 'add', value: 1 }], 'add operation failed to decode path: missing value'],
  remove: [
    [{ op: 'remove', path: '/data/none' }],
    'remove operation does not apply: doc is missing path: "/data/none": missing value',
  ],
  member: [
    [{ op: 'remove', path: '/metadata/none' }],
    "error in remove for path: '/metadata/none': Unable to remove nonexistent key: none: missing value",
  ],
  replace: [
    [{ op: 'replace', path: '/spec/a', value: 1 }],
    'replace operation does not apply: doc is missing path: /spec/a: missing value',
  ],
  add: [
    [{ op: 'add', path: '/spec/a', value: 1 }],
    'add operation does not apply: doc is missing path: "/spec/a": missing value',
  ],
  test: [[{ op: 'test', path: '/metadata/name', value: 'z' }], 'testing value /metadata/name failed: test failed'],
  type: [
    [{ op: 'add', path: '/data', value: 'text' }],
    'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
  ],
  'inner-type': [
    [{ op: 'add', path: '/data', value: { a: 1 } }],
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  version: [
    [{ op: 'replace', path: '/apiVersion', value: 'v2' }],
    'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
};

export const webhookFailures: Area = {
  name: 'webhook failures',
  proves: ['A1'],
  cases: {
    'an answer with another code than 200 is told by its code, or by its Status': failing(
      async () => byCode,
      ['mutating'],
    ),
    'an answer that is no review is quoted': failing(async () => garbage, ['validating']),
    'an answer to another question is none': failing(async () => ({ other: uid('other'), none: uid('') })),
    'a patch that cannot be used is refused': failing(async () => unusablePatches, ['mutating']),
    'a webhook that judges must not change': failing(
      async () => ({
        patch: [{ answer: patched([]) }, invalid('validating webhook may not return response.patch')],
        type: [
          { answer: (review) => reviewed(review, { allowed: true, patchType: 'JSONPatch' }) },
          invalid('validating webhook may not return response.patchType'),
        ],
      }),
      ['validating'],
    ),
    'a patch that does not fit is refused, whatever the failure policy says': async (t) => {
      const { attempt } = await variants(
        t,
        'mutating',
        Object.fromEntries(
          Object.entries(misfits).map(([name, [patch]]) => [name, { answer: patched(patch), failurePolicy: 'Ignore' }]),
        ),
      );
      for (const [name, [, message]] of Object.entries(misfits)) {
        (await attempt(name)).answer.refuses(internalError(message));
      }
    },
    'a patched object must still be what it was': async (t) => {
      const set = (path: string, value: unknown) => ({ answer: patched([{ op: 'add', path, value }]) });
      const { attempt } = await variants(t, 'mutating', {
        kind: set('/kind', 'Secret'),
        namespace: set('/metadata/namespace', 'other'),
        label: set('/metadata/labels', { 'a b': 'c' }),
        unknown: set('/none', 1),
        uid: set('/metadata/uid', 'other'),
        'no-kind': { answer: patched([{ op: 'remove', path: '/kind' }]) },
        nothing: { answer: patched([]) },
      });
      const answer = async (key: string) => (await attempt(key)).answer;
      (await answer('kind')).refuses({
        code: 500,
        reason: undefined,
        message: 'converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      });
      (await answer('namespace')).refuses({
        code: 400,
        reason: 'BadRequest',
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      });
      (await answer('label')).is(422, {
        message: /^ConfigMap "label" is invalid: metadata.labels: Invalid value: "a b"/,
      });
      (await answer('unknown')).is(201, { none: undefined });
      (await answer('uid')).is(201, { metadata: { uid: /-/ } });
      (await answer('no-kind')).is(201, { kind: 'ConfigMap' });
      (await answer('nothing')).is(201);
    },
    'nothing is patched where there is no object': async (t) => {
      const namespace = await t.namespace();
      (await t.post(configMaps(namespace), { metadata: { name: 'a' } })).is(201);
      const [made] = await hooks(t, 'mutating', namespace, [
        { answer: patched([{ op: 'add', path: '/data', value: {} }]), rules: [{ ...rules, operations: ['DELETE'] }] },
      ]);
      (await t.delete(`${configMaps(namespace)}/a`)).refuses(
        internalError(
          `admission webhook "${made?.name}" attempted to modify the object, which is not supported for this operation`,
        ),
      );
    },
    'a webhook that hangs is given up after its timeout': async (t) => {
      const namespace = await t.namespace();
      const [made] = await hooks(t, 'validating', namespace, [{ answer: () => undefined, timeoutSeconds: 1 }]);
      if (made === undefined) throw new Error('there is no webhook');
      (await t.post(configMaps(namespace), { metadata: { name: 'a' } })).refuses(
        called(`Post "${made.url}?timeout=1s": context deadline exceeded`)(made),
      );
    },
    'a webhook that hangs and may is passed over after its timeout': async (t) => {
      const namespace = await t.namespace();
      const entry = { answer: () => undefined, timeoutSeconds: 1, failurePolicy: 'Ignore' };
      await hook(t, 'mutating', namespace, entry);
      (await t.post(configMaps(namespace), { metadata: { name: 'a' } })).is(201);
    },
    'a certificate that is not trusted is told in the words of Go': failing(
      async (t) => {
        const server = await WebhookServer.of(t.session);
        const verified = (why: string) => posted(`tls: failed to verify certificate: x509: ${why}`);
        const to = (caBundle: string | undefined): Entry => ({
          answer: allowed,
          clientConfig: { url: server.url('none'), ...(caBundle && { caBundle: base64(caBundle) }) },
        });
        const none = (made: Hook): Hook => ({ ...made, url: server.url('none') });
        const unknown = 'certificate signed by unknown authority';
        const candidate =
          '(possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "keelson")';
        return {
          namesake: [to(server.otherAuthority), (made) => verified(`${unknown} ${candidate}`)(none(made))],
          stranger: [to(undefined), (made) => verified(unknown)(none(made))],
          address: [
            { answer: allowed, shown: 'misnamed' },
            verified('certificate is valid for 10.1.2.3, not 127.0.0.1'),
          ],
          name: [
            { answer: allowed, shown: 'misnamed', host: 'localhost' },
            verified('certificate is valid for other.example.com, not localhost'),
          ],
          refused: [
            { answer: allowed, clientConfig: { url: 'https://127.0.0.1:1/x' } },
            called('Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused'),
          ],
          bundle: [
            { answer: allowed, clientConfig: { url: server.url('none'), caBundle: base64('hello') } },
            (made) =>
              failedCalling(
                made,
                'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
              ),
          ],
          service: [
            { answer: allowed, clientConfig: { service: { namespace: 'default', name: 'nowhere', path: '/x' } } },
            called('Post "https://nowhere.default.svc:443/x?timeout=10s": service "nowhere" not found'),
          ],
        };
      },
      ['validating'],
    ),
    'an answer may be large, and say what nobody knows': async (t) => {
      const large: Answering = (review) =>
        reviewed(review, { allowed: true, auditAnnotations: { large: 'x'.repeat(4_000_000) }, none: 1 });
      const { attempt } = await variants(t, 'validating', { large: { answer: large } });
      (await attempt('large')).answer.is(201);
    },
    'a refusal is the Status that the webhook gives, behind its name': async (t) => {
      const details = {
        name: 'x',
        kind: 'y',
        causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'spec.x' }],
      };
      const refusals: Readonly<Record<string, readonly [Answering, (said: string) => Refusal]>> = {
        silent: [denied(), (said) => ({ code: 400, reason: undefined, message: `${said} without explanation` })],
        reason: [denied({ reason: 'TooBad' }), (said) => ({ code: 400, reason: 'TooBad', message: `${said}: TooBad` })],
        success: [
          denied({ status: 'Success', code: 200, message: 'fine' }),
          (said) => ({ code: 400, reason: undefined, message: `${said}: fine` }),
        ],
        full: [
          denied({ code: 422, reason: 'Invalid', message: 'no', details }),
          (said) => ({ code: 422, reason: 'Invalid', message: `${said}: no`, details }),
        ],
        later: [
          denied({ code: 429, reason: 'TooManyRequests', message: 'slow', details: { retryAfterSeconds: 7 } }),
          (said) => ({
            code: 429,
            reason: 'TooManyRequests',
            message: `${said}: slow`,
            details: { retryAfterSeconds: 7 },
          }),
        ],
      };
      const entries = Object.entries(refusals).map(([name, [answer]]) => [name, { answer, failurePolicy: 'Ignore' }]);
      for (const type of types) {
        const { attempt } = await variants(t, type, Object.fromEntries(entries));
        for (const [name, [, refusal]] of Object.entries(refusals)) {
          const { answer, hook: made } = await attempt(name);
          answer.refuses(refusal(`admission webhook "${made.name}" denied the request`));
          if (name === 'later') answer.has('retry-after', '7');
        }
      }
    },
  },
};

const rules = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
