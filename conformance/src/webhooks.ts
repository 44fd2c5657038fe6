/**
 * Webhooks that the suite serves itself, on the loopback address over HTTPS, and the configurations that lead to them.
 *
 * A server learns of configurations by a watch: each has one more entry, which refuses a probe, so that a case goes on
 * when it counts, and the next case when it no longer does.
 */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import type { Answer, Body, Fields, Refusal } from './exchange.ts';
import { configMaps } from './paths.ts';
import { type Session, uniqueName } from './session.ts';
import type { Trial } from './trial.ts';

/** What a webhook is sent. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: Fields & { readonly uid: string; readonly object: Body; readonly oldObject: Body };
}

/** What is sent back, with the status 200 unless another is said; nothing at all is a webhook that hangs. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type Answering = (review: Review) => Reply | undefined;

/** How the server of a webhook shows itself. */
export type Shown = 'trusted' | 'misnamed';

export class WebhookServer {
  readonly #handlers = new Map<string, (request: Review, target: string) => Reply | undefined>();
  readonly #ports = new Map<Shown, number>();
  readonly certificateAuthority: string;
  /** Of somebody else, under the same name. */
  readonly otherAuthority = createAuthority(systemRandom).certificate;

  private constructor(certificateAuthority: string) {
    this.certificateAuthority = certificateAuthority;
  }

  static of(session: Session): Promise<WebhookServer> {
    return session.share('webhook server', async () => {
      const authority = createAuthority(systemRandom);
      const webhooks = new WebhookServer(authority.certificate);
      for (const [shown, hosts] of [
        ['trusted', ['127.0.0.1', 'localhost']],
        ['misnamed', ['10.1.2.3', 'other.example.com']],
      ] as const) {
        const { certificate: cert, key } = authority.issueServer(shown, hosts);
        const server = createServer({ cert, key }, (request, response) => {
          void webhooks.#answer(request).then((reply) => {
            if (reply === undefined) return;
            const { status = 200, headers = { 'content-type': 'application/json' }, body } = reply;
            response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
          });
        });
        session.atEnd(() => closed(server));
        webhooks.#ports.set(shown, await listening(server));
      }
      return webhooks;
    });
  }

  url(path: string, shown: Shown = 'trusted', host = '127.0.0.1'): string {
    return `https://${host}:${this.#ports.get(shown)}/${path}`;
  }

  /** Answers what is sent to this path from now on. */
  handle(path: string, handler: (request: Review, target: string) => Reply | undefined): void {
    this.#handlers.set(`/${path}`, handler);
  }

  async #answer(request: IncomingMessage): Promise<Reply | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const target = request.url ?? '';
    const handler = this.#handlers.get(target.split('?')[0] ?? '');
    if (handler === undefined) return { status: 404, body: 'nobody is here' };
    return handler(JSON.parse(Buffer.concat(chunks).toString()) as Review, target);
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The review that answers another one. */
export const reviewed = ({ request }: Review, response: Fields): Reply => ({
  body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...response } },
});

export const allowed: Answering = (review) => reviewed(review, { allowed: true });

export const denied =
  (status?: Fields, more: Fields = {}): Answering =>
  (review) =>
    reviewed(review, { allowed: false, ...(status && { status }), ...more });

/** Allows, and changes the object by this JSON patch. */
export const patched =
  (patch: unknown, more: Fields = {}): Answering =>
  (review) =>
    reviewed(review, {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(typeof patch === 'string' ? patch : JSON.stringify(patch)).toString('base64'),
      ...more,
    });

/** One webhook of a configuration: how it answers, and what its entry says beside the usual. */
export interface Entry extends Fields {
  readonly name?: string;
  readonly answer: Answering;
  readonly shown?: Shown;
  readonly host?: string;
  /** Instead of the way to this suite's own server. */
  readonly clientConfig?: Fields;
  readonly rules?: readonly Fields[];
}

export interface Hook {
  readonly name: string;
  readonly url: string;
  /** What it was sent, without the probes. */
  readonly reviews: Review[];
  /** Path and query of what it was sent. */
  readonly targets: string[];
}

export const rule = (resources: string, operations = 'CREATE', more: Fields = {}): Fields => ({
  operations: operations.split(' '),
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: resources.split(' '),
  ...more,
});

const probe = 'conformance-probe';
const paths = {
  mutating: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  validating: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};
export type HookType = keyof typeof paths;
export const webhookConfigurations = paths;

/** Asks these webhooks about what happens in a namespace, from now on until the case ends. */
export async function hooks(
  t: Trial,
  type: HookType,
  namespace: string,
  entries: readonly Entry[],
  configurationName = uniqueName('hooks'),
): Promise<readonly Hook[]> {
  const server = await WebhookServer.of(t.session);
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const ready = uniqueName('ready');
  const said = `${ready} is here`;
  const made = [
    { name: ready, answer: denied({ message: said }), objectSelector: { matchLabels: { [probe]: ready } } },
    ...entries,
  ].map((entry: Entry, index) => {
    const { name = `hook-${index}`, answer, shown, host, ...more } = entry;
    const path = uniqueName('hook');
    const hook: Hook = { name: `${name}.example.com`, url: server.url(path, shown, host), reviews: [], targets: [] };
    server.handle(path, (review, target) => {
      hook.reviews.push(review);
      hook.targets.push(target);
      return answer(review);
    });
    const webhook = {
      name: hook.name,
      clientConfig: { url: hook.url, caBundle: base64(server.certificateAuthority) },
      rules: [rule('configmaps')],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      namespaceSelector,
      objectSelector: { matchExpressions: [{ key: probe, operator: 'DoesNotExist' }] },
      ...more,
    };
    return { hook, webhook };
  });
  const configuration = { metadata: { name: configurationName }, webhooks: made.map(({ webhook }) => webhook) };
  (await t.post(paths[type], configuration)).is(201);
  const ask = () =>
    t.session.api.send('POST', configMaps(namespace), {
      query: { dryRun: 'All' },
      body: { metadata: { name: ready, labels: { [probe]: ready } } },
    });
  await t.eventually(async () => (await ask()).is(400));
  t.afterwards(() =>
    t.eventually(async () => {
      const answer = await ask(); // the namespace may be gone by now
      if (answer.status === 400) throw answer.disagreement('the webhooks are still asked');
    }),
  );
  return made.slice(1).map(({ hook }) => hook);
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** For the cases with one webhook. */
export async function hook(t: Trial, type: HookType, namespace: string, entry: Entry): Promise<Hook> {
  const [only] = await hooks(t, type, namespace, [entry]);
  if (only === undefined) throw new Error('there is no webhook');
  return only;
}

/** Several webhooks, of which each object is shown to one: that whose name its label `try` has. */
export async function variants(
  t: Trial,
  type: HookType,
  entries: Readonly<Record<string, Entry>>,
): Promise<{ readonly attempt: (key: string) => Promise<{ readonly answer: Answer; readonly hook: Hook }> }> {
  const namespace = await t.namespace();
  const names = Object.keys(entries);
  const made = await hooks(
    t,
    type,
    namespace,
    names.map((name) => ({ name, objectSelector: { matchLabels: { try: name } }, ...entries[name] }) as Entry),
  );
  return {
    async attempt(key) {
      const found = made[names.indexOf(key)];
      if (found === undefined) throw new Error(`there is no webhook for ${key}`);
      const object = { metadata: { name: key, labels: { try: key } } };
      return { answer: await t.post(configMaps(namespace), object, { query: { fieldManager: 'me' } }), hook: found };
    },
  };
}

/** The refusal of what the webhook did not answer as it should; `why` follows its name. */
export const failedCalling = ({ name }: Hook, why: string): Refusal =>
  internalError(`failed calling webhook "${name}": ${why}`);

export const internalError = (message: string): Refusal => ({
  code: 500,
  reason: 'InternalError',
  message: `Internal error occurred: ${message}`,
  details: { causes: [{ message }] },
});
