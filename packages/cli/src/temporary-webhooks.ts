/**
 * Webhooks of an operator that runs on a person's machine, on a cluster that others use.
 *
 * Promises: the configurations are that person's own, by their names, and let everything through when nobody answers.
 * They are gone when `run` ends; what a crash has left goes with the next run of the same person. Definitions are not
 * touched: others have their versions converted as well.
 */
import { hostname, userInfo } from 'node:os';
import type { Client } from '@keelson/client';
import { isForbidden, type Operator, type WebhookConfigurations, webhookConfigurationsOf } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';
import { UsageError } from './command-error.ts';
import { usualNamespace } from './definitions.ts';
import { trusting, webhookAuthority } from './webhook-authority.ts';
import { removeConfigurations } from './webhook-configurations.ts';

type Configuration = Pick<NonNullable<WebhookConfigurations['mutating']>, 'webhooks'>;

/** Where the process answers, and how the API server is told. */
export interface TemporaryWebhooks {
  readonly port: number;
  readonly identity: Identity;
  readonly configurations: WebhookConfigurations;
}

/** A URL that cannot be used, and an operator that is never asked, are a `UsageError`. */
export function temporaryWebhooks(operator: Operator, text: string, owner = ownerHere()): TemporaryWebhooks {
  const url = URL.parse(text);
  const isBare = url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.username === '';
  if (url === null || !isBare) {
    throw new UsageError(`--webhook-url: "${text}" is no https://HOST:PORT`, 'the API server knows no other way');
  }
  if ((operator.webhooks ?? []).length === 0) {
    throw new UsageError(`${operator.name} has no webhooks`, 'leave --webhook-url out');
  }
  const { identity, caBundle } = webhookAuthority(url.hostname.replace(/^\[|\]$/g, ''));
  const place = { namespace: usualNamespace(operator), url: url.origin };
  const { mutating, validating } = webhookConfigurationsOf(operator, place);
  const names = temporaryNames(operator, owner);
  const own = <C extends Configuration>(configuration: C | undefined, name: string): C | undefined => {
    if (configuration === undefined) return undefined;
    const labels = { 'app.kubernetes.io/managed-by': 'keelson-run', 'app.kubernetes.io/name': operator.name };
    const webhooks = configuration.webhooks?.map((each) => ({ ...each, failurePolicy: 'Ignore' as const }));
    return trusting({ ...configuration, metadata: { name, labels }, webhooks }, caBundle);
  };
  return {
    port: url.port === '' ? 443 : Number(url.port),
    identity,
    configurations: { mutating: own(mutating, names.mutating), validating: own(validating, names.validating) },
  };
}

/** What a person's configurations of an operator are called. */
function temporaryNames({ name }: Pick<Operator, 'name'>, owner = ownerHere()) {
  return { mutating: `${name}-run-${owner}-mutating`, validating: `${name}-run-${owner}-validating` };
}

/** Who runs this, and where, as a name of an object has it. */
function ownerHere(): string {
  const text = `${userName()}-${hostname()}`.toLowerCase();
  return text
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
}

/** Who has no entry among the users, as in many a container, is known by number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `${process.getuid?.() ?? 'nobody'}`;
  }
}

/** Removes those of the person who runs this, whether or not they are there. Who may not has made none. */
export async function removeTemporary(client: Client, operator: Operator): Promise<void> {
  await removeConfigurations(client, temporaryNames(operator)).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
  });
}
