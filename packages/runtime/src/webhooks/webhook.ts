/**
 * Webhooks as values: a declaration, and what to answer when the API server asks before it stores something.
 *
 * Nothing here serves anything. The manager does, `generate` prints the configuration, `testing` lets the embedded server
 * ask in process.
 */
import {
  type AdmissionOperation,
  type Kind,
  type SettingsOf,
  type SettingsSchema,
  type WebhookDeclaration,
  webhookName,
} from '@keelson/core';
import type { AdmissionRequest, ArrivingObject } from './admission-request.ts';
import type { Finding } from './finding.ts';
import type { AskedKind, UsualOperations } from './subresources.ts';

/** Or a promise of it. */
type Eventually<T> = T | Promise<T>;

/** The whole object; or with it, or instead of it, what the user should know, which kubectl shows. */
export type Defaulted<K extends Kind> =
  | ArrivingObject<K>
  | { readonly object?: ArrivingObject<K> | undefined; readonly warnings: readonly string[] };

/**
 * Fills in what a request leaves open: returns the whole object, or nothing to leave it as it is. It runs before the
 * server has validated the object, and perhaps twice, so it must bear what it made itself.
 */
export type Default<
  K extends Kind,
  Operation extends AdmissionOperation = 'CREATE' | 'UPDATE',
  Read extends Kind = never,
  Settings = undefined,
> = (
  request: AdmissionRequest<K, Exclude<Operation, 'DELETE' | 'CONNECT'>, Read, Settings>,
) => Eventually<Defaulted<K> | undefined>;

/**
 * Judges a request that the server itself would let through: returns what is wrong with it, or nothing. It sees the
 * object as it will be stored.
 */
export type Validate<
  K extends Kind,
  Operation extends AdmissionOperation = 'CREATE' | 'UPDATE',
  Read extends Kind = never,
  Settings = undefined,
> = (request: AdmissionRequest<K, Operation, Read, Settings>) => Eventually<readonly Finding<K>[] | undefined>;

/** A webhook of any declaration; its functions are called only with what its own declaration promises. */
export interface Webhook extends WebhookDeclaration {
  readonly name: string;
  readonly default: Default<never, never> | undefined;
  readonly validate: Validate<never, never> | undefined;
}

/** What a webhook declares beside its functions, from which follow what it `defaults` and `validates`. */
type Declared = Omit<
  WebhookDeclaration,
  'for' | 'subresource' | 'reads' | 'operations' | 'defaults' | 'validates' | 'settings'
>;

/**
 * A webhook: objects of which kind it is asked about, and what it answers. Nothing is started; a definition that cannot
 * work throws a RangeError.
 *
 * @example
 * const websites = webhook(Website, {
 *   default: ({ object }) => ({ ...object, spec: { ...object.spec, host: object.spec.host ?? `${object.metadata.name}.test` } }),
 *   validate: ({ object, oldObject }) =>
 *     oldObject !== undefined && object.spec.host !== oldObject.spec.host
 *       ? [{ field: ({ spec }) => spec.host, message: 'cannot change while the site is up' }]
 *       : [],
 * });
 */
export function webhook<
  const K extends Kind,
  const Subresource extends string | undefined = undefined,
  const Reads extends readonly Kind[] = readonly [],
  const Operations extends readonly AdmissionOperation[] = UsualOperations<Subresource>,
  Settings extends SettingsSchema | undefined = undefined,
>(
  kind: K,
  definition: Declared & {
    readonly subresource?: Subresource;
    readonly reads?: Reads;
    readonly operations?: Operations;
    readonly settings?: Settings;
    readonly default?: Default<AskedKind<K, Subresource>, Operations[number], Reads[number], SettingsOf<Settings>>;
    readonly validate?: Validate<AskedKind<K, Subresource>, Operations[number], Reads[number], SettingsOf<Settings>>;
  },
): Webhook {
  const circle = 'is undefined; modules that import each other in a circle see that';
  if ((kind as K | undefined) === undefined) throw new RangeError(`webhook: its kind ${circle}`);
  const name = webhookName({ name: definition.name, for: kind, subresource: definition.subresource });
  (definition.reads ?? []).forEach((each: Kind | undefined, i) => {
    if (each === undefined) throw new RangeError(`webhook ${name}: reads[${i}] ${circle}`);
  });
  const { default: fill, validate } = definition;
  return {
    ...definition,
    for: kind,
    name,
    defaults: fill !== undefined,
    validates: validate !== undefined,
    default: fill as Webhook['default'],
    validate: validate as Webhook['validate'],
  };
}
