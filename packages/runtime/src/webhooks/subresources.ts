/** What requests to a subresource carry, where that is not the object itself, and what is usually done to it. Types only. */
import type { Kind, KubernetesObject } from '@keelson/core';
import type { TokenRequest } from '@keelson/core/authentication/v1';
import type { Scale } from '@keelson/core/autoscaling/v1';
import type { Eviction } from '@keelson/core/policy/v1';
import type { Binding } from '@keelson/core/v1';

/** How `kubectl attach` opens its streams. */
export interface AttachOptions {
  readonly container?: string | undefined;
  readonly stdin?: boolean | undefined;
  readonly stdout?: boolean | undefined;
  readonly stderr?: boolean | undefined;
  readonly tty?: boolean | undefined;
}

/** How `kubectl exec` runs a command. */
export interface ExecOptions extends AttachOptions {
  readonly command?: readonly string[] | undefined;
}

interface Carried {
  readonly attach: AttachOptions;
  readonly binding: Binding;
  readonly eviction: Eviction;
  readonly exec: ExecOptions;
  readonly portforward: { readonly ports?: readonly number[] | undefined };
  readonly proxy: { readonly path?: string | undefined };
  readonly scale: Scale;
  readonly token: TokenRequest;
}

/** The kind of what a webhook is asked about: that of the subresource's own body, or the kind itself (`status`). */
export type AskedKind<K extends Kind, Subresource extends string | undefined> = Subresource extends keyof Carried
  ? Kind<Omit<Carried[Subresource], keyof KubernetesObject> & KubernetesObject>
  : K;

/** What is done to a subresource, unless the webhook says which of it. */
export type UsualOperations<Subresource extends string | undefined> = Subresource extends string
  ? Subresource extends 'attach' | 'exec' | 'portforward' | 'proxy'
    ? readonly ['CONNECT']
    : Subresource extends 'binding' | 'eviction' | 'token'
      ? readonly ['CREATE']
      : readonly ['UPDATE']
  : readonly ['CREATE', 'UPDATE'];
