/** What `keelson dev` and the process of the operator tell each other. */
import type { InputOf, PolicyRule } from '@keelson/core';
import type { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';

export type ToChild =
  | { readonly type: 'load'; readonly cwd: string; readonly operator: string | undefined }
  | { readonly type: 'go'; readonly argv: readonly string[] };

/** What an operator needs on the cluster before it runs. */
export interface Loaded {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly definitions: readonly InputOf<typeof CustomResourceDefinition>[];
  /** The program that runs it, where the engine cannot. */
  readonly program?: string | undefined;
}

export type FromChild = ({ readonly type: 'loaded' } & Loaded) | { readonly type: 'failed'; readonly text: string };
