/**
 * An operator that runs outside of its cluster, and is asked there: by a URL that the API server reaches.
 *
 * Promises: what it changes on the cluster is put back when it is disposed of, and after a crash by the next one of the
 * same owner. Webhooks that nobody answers let everything through. A definition that others have converted, by a Service
 * that is there or at a URL of theirs, is refused and left alone.
 */
import { type Client, installDefinitions } from '@keelson/client';
import {
  conversionClientConfig,
  convertedKinds,
  isConflict,
  isForbidden,
  type Operator,
  resourceNameOf,
  servesWebhooks,
} from '@keelson/core';
import {
  CustomResourceDefinition,
  type NewCustomResourceDefinition,
  type WebhookClientConfig,
} from '@keelson/core/apiextensions/v1';
import { Service } from '@keelson/core/v1';
import type { WebhookListenOptions } from '../manager/webhooks.ts';
import { ownerHere } from './owner.ts';
import { temporaryConfigurations, temporaryNames } from './temporary-configurations.ts';
import { converterOf, type Installed, lent, loanOf, returned } from './temporary-definition.ts';
import { webhookAuthority } from './webhook-authority.ts';
import { applyConfigurations, removeConfigurations } from './webhook-configurations.ts';

/** Where an operator outside of its cluster is asked, and what it tells the API server. */
export interface OutsideOptions {
  /** Has a field manager. */
  readonly client: Client;
  /** Where the API server reaches this process: `https://HOST:PORT`. */
  readonly url: string;
  /** The definitions of the kinds that the operator converts, by `crdOf`. */
  readonly definitions: (conversion: WebhookClientConfig) => readonly NewCustomResourceDefinition[];
  /** Whose it is, as a name of an object has it. @default the user and the machine */
  readonly owner?: string | undefined;
}

/** An operator that is asked from outside. Disposing of it puts back what it has told the API server. */
export interface OutsideWebhooks extends AsyncDisposable {
  /** For the manager. */
  readonly webhooks: WebhookListenOptions;
  /** The objects by which the API server is told. */
  readonly told: readonly string[];
}

/** Has the API server ask an operator at a URL, until it is disposed of. A URL that cannot be used is a RangeError. */
export async function answerOutside(
  operator: Operator,
  { client, url, definitions, owner = ownerHere() }: OutsideOptions,
): Promise<OutsideWebhooks> {
  const { origin, hostname, port } = urlIn(url);
  if (!servesWebhooks(operator)) throw new RangeError(`${operator.name} has neither webhooks nor conversions`);
  const { identity, caBundle } = webhookAuthority(hostname.replace(/^\[|\]$/g, ''));
  const conversion = { ...conversionClientConfig(operator, { namespace: '', url: origin }), caBundle };
  const converted = convertedKinds(operator).length > 0 ? definitions(conversion) : [];
  const configurations = temporaryConfigurations(operator, { owner, url: origin, caBundle });
  const end = () => endOutside(client, operator, owner);
  try {
    await removeConfigurations(client, temporaryNames(operator, owner));
    for (const definition of converted) await lend(client, definition, owner);
    await applyConfigurations(client, configurations);
  } catch (error) {
    await end();
    throw error;
  }
  const told = [...converted, configurations.mutating, configurations.validating];
  return {
    webhooks: { port: port === '' ? 443 : Number(port), tls: identity, drainMs: 0 },
    told: told.flatMap((each) => each?.metadata.name ?? []),
    [Symbol.asyncDispose]: end,
  };
}

/** Puts back what an owner's process has changed, also one that has crashed. Who may not change it has not. */
export async function endOutside(client: Client, operator: Operator, owner = ownerHere()): Promise<void> {
  const unlessForbidden = (error: unknown) => {
    if (!isForbidden(error)) throw error;
  };
  await removeConfigurations(client, temporaryNames(operator, owner)).catch(unlessForbidden);
  for (const kind of convertedKinds(operator)) {
    await takeBack(client, resourceNameOf(kind), owner).catch(unlessForbidden);
  }
}

function urlIn(text: string): URL {
  const url = URL.parse(text);
  const isBare = url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.username === '';
  if (url === null || !isBare) throw new RangeError(`"${text}" is no https://HOST:PORT`);
  return url;
}

async function lend(client: Client, definition: NewCustomResourceDefinition, owner: string): Promise<void> {
  const { name = '' } = definition.metadata;
  await untilNobodyElseWrites(async () => {
    const installed = await client.find(CustomResourceDefinition, name);
    if (installed !== undefined) await refuseOthers(client, installed, owner);
    const own = lent(definition, installed, owner);
    if (installed === undefined) await installDefinitions(client, [own]);
    else await replace(client, installed, own);
  });
}

async function refuseOthers(client: Client, installed: Installed, owner: string): Promise<void> {
  const converter = converterOf(installed, owner);
  const { name } = installed.metadata;
  if (converter.type === 'nobody') return;
  if (converter.type === 'url') {
    const whose = converter.owner === undefined ? '' : `, by ${converter.owner}`;
    throw new Error(`${name} is converted at ${converter.url}${whose}; others use it, so it stays so`);
  }
  // What `install` has prepared for an operator that is not there yet converts nothing.
  const key = `${converter.service.namespace}/${converter.service.name}`;
  if ((await client.find(Service, key)) === undefined) return;
  throw new Error(`${name} is converted by the Service ${key}; others use it, so it stays so`);
}

async function takeBack(client: Client, name: string, owner: string): Promise<void> {
  await untilNobodyElseWrites(async () => {
    const installed = await client.find(CustomResourceDefinition, name);
    const loan = installed && loanOf(installed);
    if (installed && loan?.owner === owner) await replace(client, installed, returned(installed, loan));
  });
}

/** A patch, by the same right with which definitions are applied; it names the version that it follows. */
async function replace(client: Client, { metadata }: Installed, now: NewCustomResourceDefinition): Promise<void> {
  await client.patch(CustomResourceDefinition, metadata.name, [
    { op: 'add', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'add', path: '/metadata/annotations', value: now.metadata.annotations ?? {} },
    { op: 'add', path: '/spec', value: now.spec },
  ]);
}

async function untilNobodyElseWrites(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
