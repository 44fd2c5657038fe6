/** Which kinds a declaration needs in its caches, each once: in which form, and which of its objects. */
import {
  type Declaration,
  isMetadataOnly,
  isOptional,
  type Kind,
  metadataOf,
  optional,
  ownedSelections,
  printLabelSelector,
  requirementsOf,
  resourceNameOf,
  type WatchSelection,
} from '@keelson/core';

/** A kind to be watched. */
export interface WatchedKindEntry {
  /** Whole, or its metadata; marked if it is optional. */
  readonly kind: Kind;
  readonly selection: WatchSelection;
}

/** The same for every form of a kind. */
export const idOfKind = (kind: Kind): string => `${resourceNameOf(kind)}/${kind.version}`;

/** The kinds of a declaration. What one part needs whole and unselected is cached so for all. */
export function watchedKinds(declaration: Declaration): readonly WatchedKindEntry[] {
  const entries = new Map<string, WatchedKindEntry>();
  const add = (kind: Kind, { labels, fields, namespaces }: WatchSelection) => {
    const present = entries.get(idOfKind(kind));
    const entry = { kind, selection: { labels, fields, namespaces } };
    entries.set(idOfKind(kind), present === undefined ? entry : joined(present, entry));
  };
  add(declaration.for, declaration.selector ?? {});
  for (const { own: kind, ...selection } of ownedSelections(declaration)) add(kind, selection);
  for (const { watch: kind, ...selection } of declaration.watches ?? []) add(kind, selection);
  for (const { to, ...selection } of declaration.refers ?? []) {
    add(isOptional(to) ? optional(metadataOf(to)) : metadataOf(to), selection);
  }
  const reconciled = entries.get(idOfKind(declaration.for));
  if (reconciled !== undefined && printed(reconciled.selection) !== printed(declaration.selector ?? {})) {
    throw new RangeError(
      `${declaration.for.kind} is reconciled by a selector and watched without it; give both the same selection`,
    );
  }
  return [...entries.values()];
}

/**
 * Whether the changes of a kind, but for an end, are follow-ups (ADR 40) for all who watch it, and so may be read together:
 * no controller reconciles it or judges its changes by a predicate, and no webhook answers by it.
 */
export function followUpKinds({ controllers, webhooks = [] }: WatchingOperator): (kind: Kind) => boolean {
  const judged = (declaration: Declaration): readonly Kind[] => [
    ...ownedSelections(declaration).flatMap(({ own, when }) => (when ? [own] : [])),
    ...(declaration.watches ?? []).flatMap(({ watch, when }) => (when ? [watch] : [])),
    ...(declaration.refers ?? []).flatMap(({ to, when }) => (when ? [to] : [])),
  ];
  const prompt = [
    ...controllers.flatMap((declaration) => [declaration.for, ...judged(declaration)]),
    ...webhooks.flatMap(({ reads = [] }) => reads),
  ];
  const ids = new Set(prompt.map(idOfKind));
  return (kind) => !ids.has(idOfKind(kind));
}

interface WatchingOperator {
  readonly controllers: readonly Declaration[];
  readonly webhooks?: readonly { readonly reads?: readonly Kind[] | undefined }[] | undefined;
}

function joined(a: WatchedKindEntry, b: WatchedKindEntry): WatchedKindEntry {
  const [first, second] = [printed(a.selection), printed(b.selection)];
  // What one part needs whole is there whole; a watch of the same kind chooses by its mapping.
  if (first !== second && first !== '{}' && second !== '{}') {
    throw new RangeError(
      `${b.kind.kind} is watched twice with different selections; use one watch and let its mapping choose`,
    );
  }
  const kind = isMetadataOnly(a.kind) ? b.kind : a.kind;
  return { kind, selection: first === '{}' ? a.selection : b.selection };
}

function printed({ labels, fields, namespaces }: WatchSelection): string {
  const selector = labels === undefined ? undefined : printLabelSelector(requirementsOf(labels));
  return JSON.stringify({ labels: selector || undefined, fields, namespaces: namespaces && [...namespaces].sort() });
}
