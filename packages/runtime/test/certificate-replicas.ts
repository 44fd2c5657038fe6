/**
 * Replicas that do nothing but look after the certificates of their webhooks, on an embedded cluster in virtual time and
 * with the rights that follow from the declaration; and a caller who verifies what they serve as a slow API server would.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import { createClient } from '@keelson/client';
import {
  type Clock,
  type Kind,
  operator,
  type Transport,
  timestamp,
  webhookConfigurationsOf,
  webhookNames,
} from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Secret } from '@keelson/core/v1';
import type { Identity } from '@keelson/core/x509';
import { startCluster, type TestCluster } from '@keelson/testing';
import { keepCertificates } from '../src/certificates/keep-certificates.ts';
import type { ServingCertificates } from '../src/certificates/serving-certificates.ts';
import { certificatesIn } from '../src/certificates/stored-certificates.ts';
import { trustingObjectsOf } from '../src/certificates/trusting-objects.ts';
import type { Fields, Logger } from '../src/log/logger.ts';

export const web = operator({
  name: 'web',
  webhooks: [{ for: ConfigMap, defaults: true, validates: true }],
  events: false,
});
export const secretKey = `operators/${webhookNames(web).secret}`;
export const deploymentKey = `operators/${web.name}`;
const labels = { app: 'web' };
const emptyDeployment = {
  metadata: { namespace: 'operators', name: web.name },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
};
const hosts = ['web-webhook.operators.svc'];
export const minute = 60_000;

export interface Replicas extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** What the replica of that number keeps. */
  certificates(index: number): ServingCertificates;
  /** What all of them warned of. */
  readonly warnings: readonly string[];
  /** Every line that they logged, with all there is in it. */
  readonly log: readonly string[];
  /** Lets time pass, and verifies all the time what each replica serves. */
  verified(ms: number): Promise<void>;
  secret(): Promise<Readonly<Record<string, string>>>;
  /** What the objects say whom to trust, each certificate as its common name. */
  trusted(): Promise<readonly (readonly string[])[]>;
}

const stepMs = 5000;

export interface ReplicasOptions {
  readonly replicas?: number;
  /** Install no configurations. */
  readonly bare?: boolean;
  /** Stands between a replica and the server. */
  readonly intercept?: (transport: Transport, index: number) => Transport;
  /** What a replica takes for the time. */
  readonly clockOf?: (clock: Clock, index: number) => Clock;
  readonly tolerate?: readonly 'refusal'[];
  /** Have the replicas be of a Deployment. */
  readonly isDeployed?: boolean;
}

export const configurationKinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const;

/** Authorities live twelve minutes, what they issue eight, and API servers learn of new ones within a minute. */
export async function startReplicas(options: ReplicasOptions = {}): Promise<Replicas> {
  const { replicas = 1, intercept = (transport) => transport, clockOf = (clock) => clock } = options;
  const begun = Promise.withResolvers<void>();
  let intercepted = 0;
  const kept = new Map<string, ServingCertificates>();
  const warnings: string[] = [];
  const log: string[] = [];
  const note = (message: string, fields?: Fields) => {
    log.push(`${message} ${inspect(fields, { depth: 10 })}`);
  };
  const warn = (message: string, fields?: Fields) => {
    note(message, fields);
    warnings.push([message, fields?.problem].filter(Boolean).join(': '));
  };
  const logger: Logger = { debug: note, info: note, warn, error: warn, with: () => logger };
  const cluster = await startCluster({
    operators: [
      {
        operator: web,
        async run({ transport, clock: real, random, identity }, signal) {
          await begun.promise;
          const clock = clockOf(real, Number(identity.slice(identity.lastIndexOf('-') + 1)));
          await using certificates = keepCertificates({
            client: createClient({ transport, clock, random, fieldManager: 'web' }),
            secret: secretKey,
            deployment: options.isDeployed ? deploymentKey : undefined,
            hosts,
            trustedBy: trustingObjectsOf(web),
            authorityMs: 12 * minute,
            servingMs: 8 * minute,
            settleMs: minute,
            logger,
            clock,
            random,
          });
          kept.set(identity, certificates);
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
          kept.delete(identity);
        },
      },
    ],
    replicas,
    intercept: (transport) => intercept(transport, intercepted++),
    ...(options.tolerate && { tolerate: options.tolerate }),
  });
  const { client, clock } = cluster;
  if (!options.bare) await installConfigurations(cluster);
  if (options.isDeployed) await client.create(Deployment, emptyDeployment);
  begun.resolve();
  await clock.settle();

  const bundles = async (): Promise<readonly string[]> => {
    const objects = await Promise.all(configurationKinds.map((kind) => client.find(kind as Kind, nameOf(kind))));
    return objects.flatMap((object) =>
      ((object as { webhooks?: { clientConfig: { caBundle?: string } }[] })?.webhooks ?? []).map(({ clientConfig }) =>
        Buffer.from(clientConfig.caBundle ?? '', 'base64').toString(),
      ),
    );
  };
  const history: { readonly at: number; readonly bundles: readonly string[] }[] = [];
  return {
    cluster,
    warnings,
    log,
    certificates(index) {
      const found = kept.get(`web-${index}`);
      if (found === undefined) throw new Error(`replica ${index} does not run`);
      return found;
    },
    async secret() {
      const { data = {} } = await client.get(Secret, secretKey);
      return Object.fromEntries(
        Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
      );
    },
    async trusted() {
      return (await bundles()).map((text) => certificatesIn(text).map((each) => new X509Certificate(each).subject));
    },
    async verified(ms) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        const now = clock.monotonic();
        if ((history.at(-1)?.at ?? now) < now - stepMs) history.length = 0; // nobody looked meanwhile
        history.push({ at: now, bundles: await bundles() });
        // What a slow API server may still believe: all that was so at some time of the last minute.
        while ((history[1]?.at ?? now) <= now - minute + stepMs) history.shift();
        const believed = new Set(history.flatMap((each) => each.bundles));
        for (const [identity, { current }] of kept)
          for (const bundle of believed) verify(identity, current, bundle, clock.now());
        await clock.advance(stepMs);
      }
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

export const nameOf = (kind: (typeof configurationKinds)[number]) =>
  kind === MutatingWebhookConfiguration ? webhookNames(web).mutating : webhookNames(web).validating;

export async function installConfigurations({ client }: TestCluster): Promise<void> {
  const { mutating, validating } = webhookConfigurationsOf(web, { namespace: 'operators' });
  if (mutating) await client.apply(MutatingWebhookConfiguration, mutating);
  if (validating) await client.apply(ValidatingWebhookConfiguration, validating);
}

function verify(identity: string, current: Identity | undefined, bundle: string, now: number): void {
  const problem = problemOf(current, bundle, now);
  if (problem !== undefined) throw new Error(`${identity} at ${timestamp(now)}: a call fails, since ${problem}`);
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: number) =>
  validFromDate.getTime() <= now && now < validToDate.getTime();

function problemOf(current: Identity | undefined, bundle: string, now: number): string | undefined {
  if (current === undefined) return 'nothing is served';
  const served = new X509Certificate(current.certificate);
  if (!isValid(served, now)) return 'it is expired, or not valid yet';
  const issuer = issuerIn(served, current.key, bundle);
  if (typeof issuer === 'string') return issuer;
  return isValid(issuer, now) ? undefined : 'who issued it is expired, or not valid yet';
}

const known = new Map<string, X509Certificate | string>();

/** Who of those who are trusted issued it. It takes its time, and is the same each time. */
function issuerIn(served: X509Certificate, key: string, bundle: string): X509Certificate | string {
  const question = `${served.fingerprint256} ${bundle}`;
  const answer = known.get(question) ?? findIssuer(served, key, bundle);
  known.set(question, answer);
  return answer;
}

function findIssuer(served: X509Certificate, key: string, bundle: string): X509Certificate | string {
  if (!served.checkPrivateKey(createPrivateKey(key))) return 'the key does not fit';
  if (hosts.some((host) => served.checkHost(host) === undefined)) return 'it is for another host';
  const trusted = certificatesIn(bundle).map((each) => new X509Certificate(each));
  const issuer = trusted.find((ca) => served.checkIssued(ca) && served.verify(ca.publicKey));
  return issuer ?? 'nobody who is trusted has issued it';
}
