/** What `keelson dev` and the process of the operator tell each other. */
import type { InputOf, PolicyRule, WebhookConfigurations } from '@keelson/core';
import type { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';

export type ToChild =
  | {
      readonly type: 'load';
      readonly cwd: string;
      readonly operator: string | undefined;
      /** Where its webhooks are reached. @default by its Service */
      readonly webhooks: { readonly url: string; readonly caBundle: string } | undefined;
    }
  | { readonly type: 'go'; readonly argv: readonly string[] };

/** What an operator needs on the cluster before it runs. */
export interface Loaded {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly definitions: readonly InputOf<typeof CustomResourceDefinition>[];
  /** How the API server is told to ask it. */
  readonly webhooks: WebhookConfigurations;
  /** Whether the API server ever asks it. */
  readonly answers: boolean;
  /** The program that runs it, where the engine cannot. */
  readonly program?: string | undefined;
}

export type FromChild = ({ readonly type: 'loaded' } & Loaded) | { readonly type: 'failed'; readonly text: string };
