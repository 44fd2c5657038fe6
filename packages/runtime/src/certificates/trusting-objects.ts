/**
 * The objects that tell an API server whom to trust when it calls a webhook: configurations and definitions.
 *
 * Promises: `caBundle` alone is written, under a field manager of its own, and only where an entry is there already and
 * says something else. So whoever applies the rest of such an object never meets this writer.
 */
import type { Client } from '@keelson/client';
import {
  convertedKinds,
  isObject,
  type Kind,
  type KubernetesObject,
  type Operator,
  resourceNameOf,
  webhookNames,
} from '@keelson/core';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';

/** An object of the operator's own with `caBundle` in it. */
export interface TrustingObject {
  readonly kind:
    | typeof MutatingWebhookConfiguration
    | typeof ValidatingWebhookConfiguration
    | typeof CustomResourceDefinition;
  readonly name: string;
}

/** Those of an operator, for which it has the rights by its declarations. */
export function trustingObjectsOf(operator: Operator): readonly TrustingObject[] {
  const { webhooks = [] } = operator;
  const names = webhookNames(operator);
  const of = (kind: TrustingObject['kind'], name: string, isThere = true) => (isThere ? [{ kind, name }] : []);
  return [
    ...of(
      MutatingWebhookConfiguration,
      names.mutating,
      webhooks.some(({ defaults }) => defaults),
    ),
    ...of(
      ValidatingWebhookConfiguration,
      names.validating,
      webhooks.some(({ validates }) => validates),
    ),
    ...convertedKinds(operator).flatMap((kind) => of(CustomResourceDefinition, resourceNameOf(kind))),
  ];
}

/** The field manager of `caBundle`. */
const bundleManager = 'keelson-certificates';

/** What came of telling an object the bundle. */
export type Told =
  /** It says so, and did before. */
  | 'known'
  | 'written'
  /** There is no such object. */
  | 'absent'
  /** It calls no webhook. */
  | 'calls-none';

/** Makes an object say `caBundle` (base64). Rejects with a Conflict when somebody wrote at the same time. */
export async function tell(client: Client, { kind, name }: TrustingObject, caBundle: string): Promise<Told> {
  const wide: Kind = kind;
  const object = await client.find(wide, name);
  if (object === undefined) return 'absent';
  const callers = callersIn(object);
  if (callers.length === 0) return 'calls-none';
  if (callers.every((each) => each.caBundle === caBundle)) return 'known';
  const { resourceVersion } = object.metadata;
  // With its version: without, an apply would make the object anew if it was deleted meanwhile.
  const body = { metadata: { name, resourceVersion }, ...bodyFor(kind, callers, caBundle) };
  await client.apply(wide, body, { fieldManager: bundleManager, force: true });
  return 'written';
}

/** What an object says at each place, as base64; nothing where it says nothing. */
export async function bundlesTold(client: Client, { kind, name }: TrustingObject): Promise<readonly string[]> {
  const wide: Kind = kind;
  const object = await client.find(wide, name);
  return object === undefined ? [] : callersIn(object).map(({ caBundle = '' }) => caBundle);
}

/** A place at which an object says how a webhook is called. */
interface Caller {
  /** Of an entry of a configuration. */
  readonly name: string;
  readonly caBundle: string | undefined;
}

function callersIn(object: KubernetesObject): readonly Caller[] {
  const { webhooks, spec } = object as { readonly webhooks?: unknown; readonly spec?: unknown };
  if (Array.isArray(webhooks)) return webhooks.map((each: unknown) => callerOf(each));
  const conversion = memberOf(spec, 'conversion');
  const webhook = memberOf(conversion, 'webhook');
  return memberOf(conversion, 'strategy') === 'Webhook' && webhook !== undefined ? [callerOf(webhook)] : [];
}

function callerOf(value: unknown): Caller {
  const caBundle = memberOf(memberOf(value, 'clientConfig'), 'caBundle');
  return {
    name: String(memberOf(value, 'name') ?? ''),
    caBundle: typeof caBundle === 'string' ? caBundle : undefined,
  };
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

const bodyFor = (kind: Kind, callers: readonly Caller[], caBundle: string): Readonly<Record<string, unknown>> =>
  kind === CustomResourceDefinition
    ? { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } }
    : { webhooks: callers.map(({ name }) => ({ name, clientConfig: { caBundle } })) };
