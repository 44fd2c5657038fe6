/** Who else holds an object that is about to be applied: Helm, OLM, or somebody who knows nothing of this operator. */
import type { Status } from '@keelson/core';

interface Existing {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Whoever would put back what we change; nobody can take it over from them. */
export function installerOf({ metadata: { labels = {}, annotations = {} } }: Existing): string | undefined {
  const release = annotations['meta.helm.sh/release-name'];
  if (release !== undefined || labels['app.kubernetes.io/managed-by'] === 'Helm') {
    const namespace = annotations['meta.helm.sh/release-namespace'];
    return `the Helm release ${release ?? '(without a name)'}${namespace === undefined ? '' : ` in ${namespace}`}`;
  }
  const isOfOlm = Object.keys(labels).some(
    (name) => name.startsWith('olm.') || name.startsWith('operators.coreos.com/'),
  );
  if (!isOfOlm) return undefined;
  const owner = labels['olm.owner'];
  return `the Operator Lifecycle Manager${owner === undefined ? '' : ` (${owner})`}`;
}

/** What to do about an object that an installer holds. Helm leaves its marks on what it keeps when a release goes. */
export function howToFree({ metadata: { annotations = {} } }: Existing): string {
  const next = 'upgrade the operator there, or uninstall it there first';
  if (annotations['helm.sh/resource-policy'] !== 'keep') return next;
  return `${next}; if it is uninstalled, docs/chart.md says how to take over the definitions that it left`;
}

/** Whether an object is of this operator, however it was installed: all of its files have this label. */
export const isOfOperator = ({ metadata: { labels = {} } }: Existing, operator: string): boolean =>
  labels['app.kubernetes.io/name'] === operator;

/** A field that somebody else has set to another value. */
export interface HeldField {
  readonly field: string;
  /** Who it was, such as `kubectl`. */
  readonly manager: string;
}

/** What a conflict is about. */
export function heldFields({ details }: Status): readonly HeldField[] {
  return (details?.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '?', message = '' }) => ({ field, manager: /"([^"]*)"/.exec(message)?.[1] ?? message }));
}

/** Whose the definition of a kind is: who has written it, and for what, if that is said. */
export function definitionHolder({ metadata: { labels = {} } }: Existing, held: readonly HeldField[]): string {
  const managers = [...new Set(held.map(({ manager }) => manager))].join(' and ');
  const owner = labels['app.kubernetes.io/part-of'] ?? labels['app.kubernetes.io/name'];
  return `${managers}${owner === undefined ? '' : ` for ${owner}`}`;
}
