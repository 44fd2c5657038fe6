/**
 * From changes to wake-ups: which reconciled objects each change of a watched kind concerns.
 *
 * Promises: a change of the reconciled object, of what it owns, watches or refers to wakes it, unless the declaration's
 * `when` says that an update does not matter; the beginning of a deletion always does. Mappings are asked only when every
 * cache is complete that they may look at. When an optional kind comes or goes, everything is looked at again.
 */
import type { InformerEvent } from '@keelson/client';
import {
  type CacheView,
  type Clock,
  equalJson,
  type Kind,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  ownedSelections,
  type Predicate,
} from '@keelson/core';
import type { Caches } from '../cache/caches.ts';
import { causeOf, concernedKeys, controllerKey, mapperOf } from '../cache/mapping.ts';
import type { Controller } from '../controller/controller.ts';
import type { Logger } from '../log/logger.ts';
import { followOptionalKinds } from './optional-kinds.ts';
import { isSameWish } from './same-wish.ts';
import type { Urgency } from './wake-ups.ts';

export interface SubscriptionsOptions {
  readonly controller: Controller;
  readonly caches: Caches;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** An object needs a look. */
  readonly wake: (key: NamespacedName, cause: string, urgency: Urgency) => void;
}

interface OwnHandlers {
  /** The reconciled object changed; by default it is woken. */
  readonly onReconciled: (event: InformerEvent, wake: () => void) => void;
  /** An object of an owned kind changed, whoever it belongs to. */
  readonly onOwned: (event: InformerEvent) => void;
}

/** What concerns the reconciled objects by themselves; mapped at once. */
export function subscribeOwn(options: SubscriptionsOptions, { onReconciled, onOwned }: OwnHandlers): void {
  const { controller, caches, signal, wake } = options;
  for (const informer of caches.informersOf(controller.for)) {
    informer.subscribe(
      (event) =>
        onReconciled(event, () => {
          if (matters(event, controller.when)) wake(keyOf(event.object), causeOf(event), ownUrgency(event));
        }),
      { signal },
    );
  }
  const owner = (object: KubernetesObject) => controllerKey(controller.for, object);
  for (const { own: kind, when } of ownedSelections(controller)) {
    follow(options, kind, owner, when);
    for (const informer of caches.informersOf(kind)) informer.subscribe(onOwned, { signal });
  }
}

/** What concerns them by a mapping, which may read their cache: to be called when the caches are complete. */
export function subscribeMapped(options: SubscriptionsOptions): void {
  const { controller, caches, wake } = options;
  const context = { cache: reconciledOnly(caches, controller.for) };
  for (const watch of controller.watches ?? []) {
    follow(options, watch.watch, mapperOf(controller.for, watch, context), watch.when);
  }
  for (const [i, { to, when }] of (controller.refers ?? []).entries()) {
    follow(options, to, (object) => caches.referrers(i, object), when);
  }
  void followOptionalKinds(caches.informers, options, (cause) => {
    for (const object of caches.store(controller.for).list()) wake(keyOf(object), cause, 'now');
  });
}

function follow(
  { caches, logger, signal, wake }: SubscriptionsOptions,
  kind: Kind,
  map: (object: KubernetesObject) => readonly NamespacedName[],
  when?: Predicate<never> | undefined,
): void {
  const report = (error: unknown) => logger.error('A mapping threw; that change wakes nobody', { error });
  for (const informer of caches.informersOf(kind)) {
    informer.subscribe(
      (event) => {
        if (!matters(event, when)) return;
        for (const key of concernedKeys(event, map, report)) wake(key, causeOf(event), urgencyOf(event));
      },
      { signal },
    );
  }
}

/** Whether a change is worth a look. A predicate is asked about updates, but never about the way to an end. */
export function matters(event: InformerEvent, when: Predicate<never> | undefined): boolean {
  if (when === undefined || event.type !== 'updated') return true;
  const [now, before] = [event.object.metadata, event.previous.metadata];
  if (now.deletionTimestamp !== before.deletionTimestamp) return true;
  if (!equalJson(now.finalizers ?? [], before.finalizers ?? [])) return true;
  return when(event.object as never, event.previous as never);
}

/** Of a change of the reconciled object: one that touches nothing that users write, mostly its status, is a follow-up. */
function ownUrgency(event: InformerEvent): Urgency {
  if (event.type !== 'updated') return event.type === 'added' && event.initial ? 'initial' : 'now';
  return isSameWish(event.previous, event.object) ? 'follow-up' : 'now';
}

/** Of a change of another object: steps may come in bursts, and what is gone has to be made again. */
function urgencyOf(event: InformerEvent): Urgency {
  if (event.type === 'deleted') return 'now';
  return event.type === 'added' && event.initial ? 'initial' : 'follow-up';
}

/** Other caches may be of another time than what is mapped. */
function reconciledOnly(caches: Caches, reconciled: Kind): CacheView<Kind> {
  const check = (kind: Kind) => {
    if (kind.kind === reconciled.kind && kind.group === reconciled.group) return;
    throw new TypeError(`a mapping may read the cache of ${reconciled.kind}, which is reconciled, not ${kind.kind}`);
  };
  return {
    get: (kind, key) => {
      check(kind);
      return caches.get(kind, key);
    },
    list: (kind, options) => {
      check(kind);
      return caches.list(kind, options);
    },
    serves: (kind) => caches.serves(kind),
  };
}
