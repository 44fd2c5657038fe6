/** Custom resources whose versions a webhook converts into each other. */
import type { Area } from '../case.ts';
import { type CustomKind, define, definition } from '../custom-resources.ts';
import type { Answer, Body, Fields } from '../exchange.ts';
import { exactly } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';
import { uniqueName } from '../session.ts';
import type { Trial } from '../trial.ts';
import { base64, type Reply, WebhookServer } from '../webhooks.ts';

interface ConversionReview {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Body[] };
}

type Converting = (review: ConversionReview) => Reply | undefined;

const size = { type: 'integer' };
const version = (name: string, field: string, isStored: boolean) => ({
  name,
  served: true,
  storage: isStored,
  subresources: { status: {}, scale: { specReplicasPath: `.spec.${field}`, statusReplicasPath: '.status.replicas' } },
  selectableFields: [{ jsonPath: `.spec.${field}` }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { [field]: size } },
        status: { type: 'object', properties: { replicas: size } },
      },
    },
  },
});
/** What is `size` in the first version is `replicas` in the second. */
const versions = [version('v1', 'size', true), version('v2', 'replicas', false)];

const reply = ({ request }: ConversionReview, response: Fields): Reply => ({
  body: {
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid: request.uid, result: { status: 'Success' }, convertedObjects: [], ...response },
  },
});

const objectsOf = ({ request }: ConversionReview, change: (object: Fields) => Fields = (object) => object) =>
  request.objects.map((object) => {
    const { size: small, replicas } = (object.spec ?? {}) as { size?: number; replicas?: number };
    const spec = request.desiredAPIVersion.endsWith('/v2') ? { replicas: small } : { size: replicas };
    return change({ ...object, apiVersion: request.desiredAPIVersion, spec });
  });

const converts: Converting = (review) => reply(review, { convertedObjects: objectsOf(review) });
const changed =
  (change: (object: Fields) => Fields): Converting =>
  (review) =>
    reply(review, { convertedObjects: objectsOf(review, change) });
const withMetadata = (more: Fields) =>
  changed((object) => ({ ...object, metadata: { ...(object.metadata as Fields), ...more } }));

/** A kind of two versions, and the webhook that converts it as `answer` says. */
class Converted {
  readonly custom: CustomKind;
  readonly reviews: ConversionReview[] = [];
  readonly namespace: string;
  answer: Converting = converts;

  constructor(custom: CustomKind, namespace: string) {
    this.custom = custom;
    this.namespace = namespace;
  }

  path(name: 'v1' | 'v2'): string {
    return this.custom.in(this.namespace, name);
  }

  object(name: string, in2: boolean, count: number, metadata: Fields = {}) {
    const [apiVersion, spec] = in2 ? ['v2', { replicas: count }] : ['v1', { size: count }];
    return {
      apiVersion: `${this.custom.group}/${apiVersion}`,
      kind: this.custom.kind,
      metadata: { name, ...metadata },
      spec,
    };
  }
}

async function start(t: Trial): Promise<Converted> {
  const server = await WebhookServer.of(t.session);
  const path = uniqueName('convert');
  let kind: Converted | undefined;
  server.handle(path, (sent) => {
    const review = sent as unknown as ConversionReview;
    kind?.reviews.push(review);
    return (kind?.answer ?? converts)(review);
  });
  const clientConfig = { url: server.url(path), caBundle: base64(server.certificateAuthority) };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  const custom = await define(t, definition({}, { versions, conversion }));
  kind = new Converted(custom, await t.namespace());
  await t.eventually(async () => (await t.get(kind?.path('v2') ?? '')).is(200));
  kind.reviews.length = 0;
  return kind;
}

type Why = string | ((kind: Converted, said: string) => string);

const failures: Readonly<Record<string, readonly [Converting, Why]>> = {
  uid: [
    (review) => reply(review, { uid: 'other', convertedObjects: objectsOf(review) }),
    // Controllers that watch the kind have theirs converted at the same time.
    ({ reviews }, said) => {
      const uid = reviews.map(({ request }) => request.uid).find((each) => said.includes(each));
      return `failed: expected response.uid="${uid}", got "other"`;
    },
  ],
  missing: [(review) => reply(review, {}), 'returned 0 objects, expected 1'],
  failure: [(review) => reply(review, { result: { status: 'Failure', message: 'I cannot' } }), 'failed: I cannot'],
  silent: [
    (review) => reply(review, { result: { status: 'Failure' } }),
    "failed: response.result.status was 'Failure', not 'Success'",
  ],
  result: [(review) => reply(review, { result: undefined }), "failed: response.result.status was '', not 'Success'"],
  version: [
    changed((object) => ({ ...object, apiVersion: 'example.com/v9' })),
    ({ custom: { group } }) =>
      `returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received example.com/v9)`,
  ],
  kind: [
    changed((object) => ({ ...object, kind: 'Other' })),
    'returned invalid object at index 0: invalid kind (expected Gadget, received Other)',
  ],
  name: [withMetadata({ name: 'b' }), 'returned invalid object: must have the same name: a != b'],
  namespace: [
    withMetadata({ namespace: 'b' }),
    ({ namespace }) => `returned invalid object: must have the same namespace: ${namespace} != b`,
  ],
  labels: [
    withMetadata({ labels: 'none' }),
    'returned invalid metadata: invalid metadata.labels of type string in converted object',
  ],
  label: [
    withMetadata({ labels: { a: 5 } }),
    'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  panic: [
    () => ({ status: 500, headers: { 'content-type': 'text/plain' }, body: 'panic: oh no' }),
    'failed: an error on the server ("panic: oh no") has prevented the request from succeeding',
  ],
  response: [
    () => ({ body: { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' } }),
    'failed: no response provided',
  ],
  review: [
    (review) => ({ body: { response: { uid: review.request.uid, result: { status: 'Success' } } } }),
    'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
  ],
  'other-version': [
    () => ({ body: { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1beta1', response: {} } }),
    'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
  ],
};

const owners = ({ body }: Answer) =>
  (body.metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => ({
    manager,
    version: String(apiVersion).split('/')[1],
    spec: (fieldsV1 as Fields)['f:spec'],
  }));

export const conversionWebhooks: Area = {
  name: 'conversion webhooks',
  proves: ['K3'],
  cases: {
    'what is written in one version is read in the other': async (t) => {
      const kind = await start(t);
      const { group } = kind.custom;
      const created = await t.post(kind.path('v2'), kind.object('a', true, 3));
      created.is(201, { apiVersion: `${group}/v2`, spec: exactly({ replicas: 3 }) });
      created.judge(kind.reviews[0], {
        kind: 'ConversionReview',
        apiVersion: 'apiextensions.k8s.io/v1',
        request: {
          desiredAPIVersion: `${group}/v1`,
          objects: [
            {
              apiVersion: `${group}/v2`,
              kind: 'Gadget',
              metadata: { name: 'a', resourceVersion: undefined },
              spec: { replicas: 3 },
            },
          ],
        },
      });
      (await t.get(`${kind.path('v1')}/a`)).is(200, { apiVersion: `${group}/v1`, spec: exactly({ size: 3 }) });
      (await t.mergePatch(`${kind.path('v1')}/a`, { spec: { size: 4 } })).is(200, { metadata: { generation: 2 } });
      (await t.get(`${kind.path('v2')}/a`)).is(200, { spec: exactly({ replicas: 4 }) });
      const scaled = await t.mergePatch(`${kind.path('v2')}/a/scale`, { spec: { replicas: 5 } });
      scaled.is(200, { spec: { replicas: 5 } });
      (await t.get(`${kind.path('v1')}/a`)).is(200, { spec: exactly({ size: 5 }) });
      const query = { fieldSelector: 'spec.replicas=5' };
      await t.eventually(async () =>
        (await t.get(kind.path('v2'), { query })).is(200, { items: [{ spec: { replicas: 5 } }] }),
      );
      (await t.delete(`${kind.path('v2')}/a`)).is(200);
    },
    'a write that changes nothing in the other version is not stored': async (t) => {
      const kind = await start(t);
      const { metadata } = (await t.post(kind.path('v1'), kind.object('a', false, 3))).is(201);
      const present = (await t.get(`${kind.path('v2')}/a`)).is(200);
      (await t.put(`${kind.path('v2')}/a`, present)).is(200, {
        metadata: { resourceVersion: metadata.resourceVersion },
      });
    },
    'a watch shows each object in its own version': async (t) => {
      const kind = await start(t);
      const watch = await t.watch(kind.path('v2'));
      (await t.post(kind.path('v1'), kind.object('a', false, 1))).is(201);
      await watch.next({
        type: 'ADDED',
        object: { apiVersion: `${kind.custom.group}/v2`, spec: exactly({ replicas: 1 }) },
      });
      (await t.mergePatch(`${kind.path('v1')}/a`, { spec: { size: 2 } })).is(200);
      await watch.next({ type: 'MODIFIED', object: { spec: exactly({ replicas: 2 }) } });
      (await t.delete(`${kind.path('v1')}/a`)).is(200);
      await watch.next({ type: 'DELETED', object: { spec: exactly({ replicas: 2 }) } });
    },
    'what was applied in one version is applied in the other by the same manager, labels included': async (t) => {
      const kind = await start(t);
      const [labels, as] = [{ labels: { a: 'b' } }, { manager: 'one' }];
      (await t.apply(`${kind.path('v1')}/a`, kind.object('a', false, 3, labels), as)).is(201);
      (await t.mergePatch(`${kind.path('v1')}/a/status`, { status: { replicas: 3 } })).is(200);
      const other = () => t.apply(`${kind.path('v2')}/a`, kind.object('a', true, 3, labels), as);
      // What the manager had applied is taken away first, and what is left is converted: the status, without metadata.
      const refused = await other();
      refused.is(500);
      refused.judge(refused.body.message, /returned invalid metadata: missing metadata in converted object$/);
      const shown = kind.reviews.flatMap(({ request: { objects } }) => objects);
      const left = { apiVersion: `${kind.custom.group}/v1`, kind: kind.custom.kind, status: { replicas: 3 } };
      refused.judge(
        shown.filter((each) => !('metadata' in each)),
        exactly([exactly(left)]),
      );
      kind.answer = changed((object) => ({ ...object, metadata: object.metadata ?? {} }));
      const applied = await other();
      applied.is(200, {
        metadata: { labels: exactly({ a: 'b' }) },
        spec: exactly({ replicas: 3 }),
        status: { replicas: 3 },
      });
      applied.judge(owners(applied)[0], { manager: 'one', version: 'v2', spec: exactly({ 'f:replicas': {} }) });
      (await t.apply(`${kind.path('v1')}/a`, kind.object('a', false, 3), as)).is(200, {
        metadata: { labels: undefined },
      });
    },
    'fields have one owner, whichever version they were applied in': async (t) => {
      const kind = await start(t);
      (await t.apply(`${kind.path('v2')}/a`, kind.object('a', true, 3), { manager: 'one' })).is(201);
      const conflict = await t.apply(`${kind.path('v1')}/a`, kind.object('a', false, 5), { manager: 'two' });
      // Named as its owner knows it.
      conflict.is(409, { details: { causes: [{ field: '.spec.replicas' }] } });
      const forced = await t.apply(`${kind.path('v1')}/a`, kind.object('a', false, 5), { manager: 'two', force: true });
      forced.is(200, { spec: exactly({ size: 5 }) });
      forced.judge(owners(forced), [{ manager: 'two', version: 'v1', spec: exactly({ 'f:size': {} }) }]);
    },
    'labels and annotations may be changed, everything else in metadata stays': async (t) => {
      const kind = await start(t);
      const { metadata } = (await t.post(kind.path('v1'), kind.object('a', false, 1, { labels: { a: 'b' } }))).is(201);
      kind.answer = withMetadata({
        labels: { c: 'd' },
        annotations: { e: 'f' },
        generation: 9,
        finalizers: ['example.com/x'],
      });
      (await t.get(`${kind.path('v2')}/a`)).is(200, {
        metadata: {
          labels: exactly({ c: 'd' }),
          annotations: exactly({ e: 'f' }),
          generation: 1,
          finalizers: undefined,
          uid: metadata.uid,
        },
      });
      kind.answer = changed((object) => ({ ...object, spec: { replicas: 4, none: true } }));
      (await t.get(`${kind.path('v2')}/a`)).is(200, { spec: exactly({ replicas: 4 }) });
    },
    'what a webhook may not answer is refused': async (t) => {
      const kind = await start(t);
      (await t.post(kind.path('v1'), kind.object('a', false, 1))).is(201);
      const asked = `conversion webhook for ${kind.custom.group}/v1, Kind=Gadget`;
      for (const [answer, why] of Object.values(failures)) {
        kind.answer = answer;
        const refused = await t.get(`${kind.path('v2')}/a`);
        const message = `${asked} ${typeof why === 'string' ? why : why(kind, refused.text)}`;
        refused.refuses({ code: 500, reason: undefined, message });
      }
      kind.answer = (review) => reply(review, { result: { status: 'Failure', message: 'I cannot' } });
      (await t.post(kind.path('v2'), kind.object('b', true, 1))).refuses({
        code: 500,
        reason: undefined,
        message: `conversion webhook for ${kind.custom.group}/v2, Kind=Gadget failed: I cannot`,
      });
      (await t.get(`${kind.path('v1')}/b`)).is(404);
      kind.answer = converts;
      (await t.get(`${kind.path('v2')}/a`)).is(200);
    },
    'a definition says where the webhook is, and when it has one': async (t) => {
      const client = 'spec.conversion.webhookClientConfig';
      const reviews = 'spec.conversion.conversionReviewVersions';
      const misplaced = 'Forbidden: should not be set when strategy is not set to Webhook';
      const url = { url: 'https://127.0.0.1' };
      const wrong: readonly (readonly [Fields, ...string[]])[] = [
        [
          { strategy: 'Webhook' },
          `${client}: Required value: required when strategy is set to Webhook`,
          `${reviews}: Required value`,
        ],
        [
          { strategy: 'None', webhook: { clientConfig: url, conversionReviewVersions: ['v1'] } },
          `${client}: ${misplaced}`,
          `${reviews}: ${misplaced}`,
        ],
        [
          { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
          `${client}: Required value: exactly one of url or service is required`,
        ],
        [
          { strategy: 'Webhook', webhook: { clientConfig: url, conversionReviewVersions: ['v9'] } },
          `${reviews}: Invalid value: ["v9"]: must include at least one of v1, v1beta1`,
        ],
        [
          { strategy: 'Maybe' },
          'spec.conversion.strategy: Unsupported value: "Maybe": supported values: "None", "Webhook"',
        ],
      ];
      for (const [conversion, ...said] of wrong) {
        const crd = definition({}, { versions, conversion });
        const answer = await t.post(customResourceDefinitions, crd, { query: { dryRun: 'All' } });
        const causes = said.length === 1 ? said[0] : `[${said.join(', ')}]`;
        answer.is(422, {
          message: `CustomResourceDefinition.apiextensions.k8s.io "${crd.metadata.name}" is invalid: ${causes}`,
        });
      }
      const service = { namespace: 'a', name: 'b' };
      const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
      const crd = definition({}, { versions, conversion: { strategy: 'Webhook', webhook } });
      (await t.post(customResourceDefinitions, crd, { query: { dryRun: 'All' } })).is(201, {
        spec: { conversion: { webhook: { clientConfig: { service: { ...service, port: 443 } } } } },
      });
    },
  },
};
