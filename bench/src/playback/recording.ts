/** What a real API server tells of one Cache and of what comes of it until it is Available: each state, and when. */
import type { Client } from '@keelson/client';
import { type Clock, conditionOf, type Kind, type KubernetesObject } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { createCaches, openArena } from '../engine/arena.ts';
import { type Operator, startOperator } from '../engine/operators.ts';
import { Cache } from '../subjects/engine/api.ts';

export interface RecordedState {
  readonly kind: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
  /** Monotonic. */
  readonly atMs: number;
}

/** Has an operator bring one Cache to its end on a real control plane. */
export async function recordOne(operator: Operator, clock: Clock): Promise<readonly RecordedState[]> {
  await using arena = await openArena(clock, true);
  const namespace = await arena.newNamespace();
  const { kubeconfig } = await arena.newUser();
  const states: RecordedState[] = [];
  const stop = new AbortController();
  const client = arena.client.with({ signal: stop.signal });
  const listen = async (kind: Kind) => {
    for await (const { type, object } of statesOf(client, kind, namespace)) {
      states.push({ kind: kind.kind, type, object, atMs: clock.monotonic() });
      if (conditionOf(object, 'Available').status === 'True' && kind === Cache) return;
    }
  };
  // The watch of the Cache ends with its last state; the others only when something failed.
  const listening = Promise.race([Cache, Deployment, Pod].map(listen));
  listening.catch(() => {}); // heard below, unless something else failed first
  try {
    await createCaches(arena.client, namespace, 1);
    await using process = await startOperator(operator, { kubeconfig, namespace, workers: 1 }, clock);
    await process.until(listening, 'a Cache that is Available');
  } finally {
    stop.abort();
  }
  return states;
}

async function* statesOf(client: Client, kind: Kind, namespace: string) {
  for await (const event of client.watch(kind, { namespace })) {
    if (event.type !== 'BOOKMARK') yield event;
  }
}
