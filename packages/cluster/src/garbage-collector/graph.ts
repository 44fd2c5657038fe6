/**
 * The graph of owners and dependents, as the watches show it, and what each change makes worth looking at.
 *
 * An owner that is only known from a reference is a virtual node: it may exist, or may have existed, under the name, kind
 * and namespace that the reference gives, or be someone's mistake. The server is asked, and the answer comes back as
 * `observe` (its watch has shown it) or `confirmAbsent`.
 *
 * Nothing here decides what is deleted: a change only names nodes that must be looked at (decision.ts), live.
 */
import { equalJson, type OwnerReference } from '@keelson/core';
import { AbsentOwners } from './absent-owners.ts';
import { type Identity, isSameIdentity, referencesTo, refersTo } from './identity.ts';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export interface GraphNode {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  /** By uid, in the order in which they were seen. */
  readonly dependents: ReadonlySet<string>;
  /** Deleted in the foreground: waits until its dependents are gone. */
  readonly isDeletingDependents: boolean;
  readonly isBeingDeleted: boolean;
  readonly isVirtual: boolean;
}

/** The metadata of an object that matters here. */
export interface Observed {
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/** What is to be done because of a change; nodes by uid. */
export interface Effects {
  /** Might have to be deleted, or to let go of an owner. */
  readonly examine: readonly string[];
  /** Has dependents that must be orphaned before it goes. */
  readonly orphan: readonly string[];
  /** References across namespaces, which can never be right. */
  readonly invalid: readonly { readonly dependent: Identity; readonly reference: OwnerReference }[];
}

type Node = { -readonly [Field in keyof GraphNode]: GraphNode[Field] } & { readonly dependents: Set<string> };

class Collected {
  readonly examine = new Set<string>();
  readonly orphan = new Set<string>();
  readonly invalid: { readonly dependent: Identity; readonly reference: OwnerReference }[] = [];

  toEffects(): Effects {
    return { examine: [...this.examine], orphan: [...this.orphan], invalid: this.invalid };
  }
}

export class OwnerGraph {
  readonly absentOwners = new AbsentOwners();
  readonly #nodes = new Map<string, Node>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return this.#resolve(this.#nodes.get(uid)?.dependents ?? []);
  }

  /** The dependents that its foreground deletion must wait for. */
  blockingDependentsOf(uid: string): readonly GraphNode[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      referencesTo(owners, uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
    );
  }

  /** A watch shows an object; `previous` is what it showed before. */
  observe(identity: Identity, metadata: Observed, previous?: Observed): Effects {
    const effects = new Collected();
    const known = this.#nodes.get(identity.uid);
    if (known?.isVirtual) this.#materialise(known, identity, effects);
    const node = known ?? this.#insert(identity);
    this.#setOwners(node, metadata.ownerReferences ?? [], effects);
    if (metadata.deletionTimestamp !== undefined) node.isBeingDeleted = true;
    if (startsWaiting(orphanFinalizer, metadata, previous)) effects.orphan.add(identity.uid);
    else if (startsWaiting(foregroundFinalizer, metadata, previous)) {
      node.isDeletingDependents = true;
      for (const dependent of node.dependents) effects.examine.add(dependent);
      effects.examine.add(identity.uid);
    }
    return effects.toEffects();
  }

  /** A watch shows that an object is gone. */
  observeDeleted(identity: Identity): Effects {
    const effects = new Collected();
    const node = this.#nodes.get(identity.uid);
    if (node) this.#remove(node, identity, effects);
    return effects.toEffects();
  }

  /** The server says that there is no object with this identity; what has its uid may have another. */
  confirmAbsent(identity: Identity): Effects {
    const effects = new Collected();
    const node = this.#nodes.get(identity.uid);
    if (!node) return effects.toEffects();
    const dependents = this.#resolve(node.dependents);
    const believers = dependents.filter((each) => refersTo(each, identity));
    const doubters = dependents.filter((each) => !refersTo(each, identity));
    const isCertain = node.isVirtual ? doubters.length === 0 : isSameIdentity(node.identity, identity);
    if (isCertain) {
      this.#remove(node, identity, effects);
      return effects.toEffects();
    }
    if (believers.length > 0) this.absentOwners.add(identity);
    for (const { identity: dependent } of believers) effects.examine.add(dependent.uid);
    if (node.isVirtual && isSameIdentity(node.identity, identity)) {
      const other = otherIdentity(doubters, identity);
      if (other) {
        node.identity = other;
        effects.examine.add(other.uid);
      }
    }
    return effects.toEffects();
  }

  #insert(identity: Identity, isVirtual = false): Node {
    const node: Node = {
      identity,
      owners: [],
      dependents: new Set(),
      isDeletingDependents: false,
      isBeingDeleted: false,
      isVirtual,
    };
    this.#nodes.set(identity.uid, node);
    return node;
  }

  /** A virtual node turns out to exist, perhaps elsewhere than its dependents believe. */
  #materialise(node: Node, identity: Identity, effects: Collected): void {
    if (!isSameIdentity(node.identity, identity)) {
      for (const dependent of this.#resolve(node.dependents)) {
        if (!refersTo(dependent, identity)) this.#doubt(dependent, identity, effects);
      }
      node.identity = identity;
    }
    node.isVirtual = false;
  }

  #setOwners(node: Node, owners: readonly OwnerReference[], effects: Collected): void {
    const before = new Map(node.owners.map((owner) => [owner.uid, owner]));
    const after = new Map(owners.map((owner) => [owner.uid, owner]));
    node.owners = owners;
    for (const [uid, owner] of before) {
      const next = after.get(uid);
      // An owner that waited for this one may be able to go now.
      if (owner.blockOwnerDeletion && !next?.blockOwnerDeletion && this.#nodes.has(uid)) effects.examine.add(uid);
      if (!next) this.#nodes.get(uid)?.dependents.delete(node.identity.uid);
    }
    for (const [uid, owner] of after) if (!equalJson(before.get(uid), owner)) this.#addDependent(owner, node, effects);
  }

  #addDependent(reference: OwnerReference, dependent: Node, effects: Collected): void {
    const { apiVersion, kind, name, uid } = reference;
    const known = this.#nodes.get(uid);
    const { namespace } = dependent.identity;
    const owner = known ?? this.#insert({ apiVersion, kind, namespace, name, uid }, true);
    owner.dependents.add(dependent.identity.uid);
    if (!known)
      effects.examine.add(uid); // the server must say whether it exists
    else if (!refersTo(dependent, known.identity))
      this.#doubt(dependent, known.isVirtual ? undefined : known.identity, effects);
    // A virtual owner without a namespace may be a namespaced one that a cluster-scoped dependent named by mistake.
    else if (known.isVirtual && known.identity.namespace !== namespace) effects.examine.add(dependent.identity.uid);
  }

  /** The dependent's reference does not fit what is known of its owner; `owner` only if that was really seen. */
  #doubt(dependent: GraphNode, owner: Identity | undefined, effects: Collected): void {
    effects.examine.add(dependent.identity.uid);
    if (!owner?.namespace || owner.namespace === dependent.identity.namespace) return;
    const [reference] = referencesTo(dependent.owners, owner.uid);
    if (reference) effects.invalid.push({ dependent: dependent.identity, reference });
  }

  #remove(node: Node, identity: Identity, effects: Collected): void {
    const { uid } = node.identity;
    this.#nodes.delete(uid);
    for (const owner of node.owners) {
      const ownerNode = this.#nodes.get(owner.uid);
      ownerNode?.dependents.delete(uid);
      if (ownerNode?.isDeletingDependents) effects.examine.add(owner.uid);
    }
    if (node.dependents.size > 0) this.absentOwners.add(identity);
    for (const dependent of node.dependents) effects.examine.add(dependent);
  }

  #resolve(uids: Iterable<string>): readonly GraphNode[] {
    return [...uids].flatMap((uid) => this.#nodes.get(uid) ?? []);
  }
}

function startsWaiting(finalizer: string, now: Observed, before: Observed | undefined): boolean {
  const waits = ({ deletionTimestamp, finalizers }: Observed) =>
    deletionTimestamp !== undefined && finalizers?.includes(finalizer) === true;
  return waits(now) && !(before && waits(before));
}

/** Under what other identity dependents know the owner: the next after the absent one, in a fixed order. */
function otherIdentity(dependents: readonly GraphNode[], absent: Identity): Identity | undefined {
  const others = dependents
    .flatMap(({ identity: { namespace }, owners }) =>
      referencesTo(owners, absent.uid).map(({ apiVersion, kind, name, uid }): Identity => {
        const isClusterScoped = absent.namespace === '' && apiVersion === absent.apiVersion && kind === absent.kind;
        return { apiVersion, kind, namespace: isClusterScoped ? '' : namespace, name, uid };
      }),
    )
    .filter((each) => !isSameIdentity(each, absent))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return others.find((each) => orderOf(each) > orderOf(absent)) ?? others[0];
}

const orderOf = ({ kind, apiVersion, namespace, name }: Identity): string =>
  JSON.stringify([kind, apiVersion, namespace, name]);
