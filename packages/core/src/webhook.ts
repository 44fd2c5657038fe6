/**
 * Webhooks as plain data: which requests an operator wants to be asked about before the API server stores them.
 *
 * From it follow the webhook configurations and the rights to what it reads; the functions that answer are the engine's.
 */
import type { Kind } from './kind.ts';
import type { LabelSelector } from './label-selector.ts';
import type { SettingsSchema } from './settings.ts';

/** What a request does to an object; CONNECT opens a stream to it, such as `kubectl exec`. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What a webhook declares before it says what to answer. */
export interface WebhookDeclaration {
  /**
   * In its path, in logs and metrics, and in what a refused user reads. A DNS label.
   * @default the kind in lower case, with its subresource: `pod-exec`
   */
  readonly name?: string | undefined;
  /** Objects of which kind it is asked about, in this version whatever version the request has. */
  readonly for: Kind;
  /** Of which it is asked instead of the object itself: `scale`, `status`, `exec`. @default none: the object */
  readonly subresource?: string | undefined;
  /** Kinds that it looks up in a cache: get, list, watch. */
  readonly reads?: readonly Kind[] | undefined;
  /** Whether it fills in what a request leaves open. DELETE and CONNECT never reach that part. */
  readonly defaults: boolean;
  /** Whether it refuses requests, or warns. */
  readonly validates: boolean;
  /** About which requests it is asked. @default CREATE and UPDATE, or those that a subresource has */
  readonly operations?: readonly AdmissionOperation[] | undefined;
  /** Only in namespaces with these labels; the operator's own is always exempt. @default any */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Only about objects with these labels, before or after the change. A user can leave them out. @default any */
  readonly objectSelector?: LabelSelector | undefined;
  /** Only if all of these CEL expressions hold; the server evaluates them, so what they keep away costs no call. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  /** What happens to a request when nobody answers. @default Fail */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** Whether it does anything but answer. With NoneOnDryRun it has to look at `dryRun`. @default None */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | undefined;
  /** How long the server waits for an answer, from 1 to 30. @default 10, the server's own */
  readonly timeoutSeconds?: number | undefined;
  /** Whether it fills in again after another webhook changed the object. @default Never */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
  /** The operator's settings, if the webhook wants them. */
  readonly settings?: SettingsSchema | undefined;
}

/** What a webhook is called: its own name, or its kind in lower case. */
export function webhookName({ name, for: kind, subresource }: NamedWebhook): string {
  return name ?? [kind.kind.toLowerCase(), ...(subresource === undefined ? [] : [subresource])].join('-');
}

/** What a webhook is called by. */
export type NamedWebhook = Pick<WebhookDeclaration, 'name' | 'for' | 'subresource'>;

/** The subresources that are not updated: what is done to them. Others are, as `scale` and `status`. */
const subresourceOperations: Readonly<Record<string, AdmissionOperation | undefined>> = {
  attach: 'CONNECT',
  binding: 'CREATE',
  eviction: 'CREATE',
  exec: 'CONNECT',
  portforward: 'CONNECT',
  proxy: 'CONNECT',
  token: 'CREATE',
};

/** The operations that the defaulting or the validating part of a webhook is asked about. */
export function operationsOf(
  webhook: Pick<WebhookDeclaration, 'operations' | 'subresource'>,
  part: 'mutate' | 'validate',
): readonly AdmissionOperation[] {
  const { operations = usualOperations(webhook) } = webhook;
  return part === 'validate' ? operations : operations.filter((each) => each === 'CREATE' || each === 'UPDATE');
}

function usualOperations({ subresource }: Pick<WebhookDeclaration, 'subresource'>): readonly AdmissionOperation[] {
  return subresource === undefined ? ['CREATE', 'UPDATE'] : [subresourceOperations[subresource] ?? 'UPDATE'];
}

/** What keeps a declaration from working, or `undefined`. */
export function webhookProblem(webhook: WebhookDeclaration): string | undefined {
  const { defaults, validates, operations, subresource, timeoutSeconds } = webhook;
  if (subresource !== undefined && !/^[a-z]+$/.test(subresource))
    return `subresource must be a name such as scale, received ${JSON.stringify(subresource)}`;
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(webhookName(webhook)))
    return 'its name must be a DNS label of at most 63 characters';
  if (!defaults && !validates) return 'it neither defaults nor validates';
  if (operations?.length === 0) return 'operations must not be empty';
  if (subresource === undefined && operations?.includes('CONNECT'))
    return 'CONNECT is done to a subresource: name it, such as exec';
  if (defaults && operationsOf(webhook, 'mutate').length === 0)
    return 'it defaults, and is asked about no CREATE and no UPDATE';
  if (
    timeoutSeconds !== undefined &&
    !(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30)
  )
    return `timeoutSeconds must be a whole number from 1 to 30, received ${timeoutSeconds}`;
  return undefined;
}
