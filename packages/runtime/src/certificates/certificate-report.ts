/** How it stands with the certificates of an operator's webhooks on a cluster, for who looks from outside. */
import { X509Certificate } from 'node:crypto';
import type { Client } from '@keelson/client';
import { type Operator, resourceNameOf, servesWebhooks, timestamp, webhookNames } from '@keelson/core';
import { Secret } from '@keelson/core/v1';
import { daysLeft } from './serving-certificates.ts';
import { certificatesIn, endOf, storedCertificates } from './stored-certificates.ts';
import { bundlesTold, type TrustingObject, trustingObjectsOf } from './trusting-objects.ts';

/** What was seen, as sentences without their ends. */
export interface CertificateReport {
  /**
   * `unknown`: no certificate is kept there, so that somebody else may bring one. `ending`: it is valid and trusted, and
   * should have been renewed long ago.
   */
  readonly status: 'ok' | 'ending' | 'unknown' | 'failed';
  readonly sentences: readonly string[];
}

/** Of its life, half of what is left when it is renewed. */
const lastPart = 1 / 6;

/**
 * Whether the certificate that an operator keeps is valid, and trusted by all that have it called. Nothing is changed;
 * `undefined` for an operator that is never called. It takes the right to read the Secret.
 *
 * @example
 * const report = await certificateReport(client, websiteOperator, { namespace: 'websites', now: Date.now() });
 */
export async function certificateReport(
  client: Client,
  operator: Operator,
  { namespace, now }: { readonly namespace: string; readonly now: number },
): Promise<CertificateReport | undefined> {
  if (!servesWebhooks(operator)) return undefined;
  const key = `${namespace}/${webhookNames(operator).secret}`;
  const secret = await client.find(Secret, key);
  if (secret === undefined) return { status: 'unknown', sentences: [`there is no Secret ${key}`] };
  const { serving, problems } = storedCertificates(secret.data ?? {}, now);
  const wrong = problems.map((problem) => `in Secret ${key}, ${problem}`);
  if (serving === undefined) return { status: 'failed', sentences: wrong };
  const objects = trustingObjectsOf(operator);
  const doubts = await Promise.all(objects.map((object) => doubtOf(client, object, serving.issuer)));
  const sentences = [...wrong, ...doubts.flatMap((doubt) => doubt ?? [])];
  if (sentences.length > 0) return { status: 'failed', sentences };
  const certificate = new X509Certificate(serving.certificate);
  const end = endOf(certificate);
  const until = `valid until ${timestamp(end)} (${daysLeft(end, now)} days)`;
  const lifeMs = end - Date.parse(certificate.validFrom);
  const status = end - now < lifeMs * lastPart ? 'ending' : 'ok';
  return { status, sentences: [`the certificate of webhooks is ${until}, and all trust it who call them`] };
}

async function doubtOf(client: Client, object: TrustingObject, issuer: string): Promise<string | undefined> {
  const what = `${resourceNameOf(object.kind)} ${object.name}`;
  const told = await bundlesTold(client, object);
  if (told.length === 0) return `${what} is not there, or says nobody whom to trust`;
  const isTrusted = told.every((base64) => certificatesIn(Buffer.from(base64, 'base64').toString()).includes(issuer));
  return isTrusted ? undefined : `${what} does not trust who issued what is served`;
}
