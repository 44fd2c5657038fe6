/** Lists and watch events as the API server sends them, with items that know their own kind. */
import type { KubernetesObject } from './kind.ts';

/** Objects of one kind, as the server listed them. */
export interface List<T> {
  readonly items: readonly T[];
  /** The state of the cluster that the list shows; a watch goes on from here. */
  readonly resourceVersion: string;
  /** Where the next page begins; absent on the last one. */
  readonly continueToken?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** A line of a watch. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      /** Nothing changed up to this resourceVersion. */
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** All objects that existed when a streaming list began have been sent. */
      readonly initialEventsEnd: boolean;
    };

/**
 * Compares two resourceVersions: negative when `a` is older. They are decimal numbers of any length, so more digits
 * mean a newer one, and a JavaScript number could not hold them.
 */
export function compareResourceVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
