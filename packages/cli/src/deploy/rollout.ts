/** Waits for a rollout, shows how far it is, and says why it does not get further. */
import { type Client, podLog } from '@keelson/client';
import { isForbidden, isNotFound, sleep } from '@keelson/core';
import { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import { systemClock } from '@keelson/core/system';
import { Event, Node, Pod } from '@keelson/core/v1';
import { LiveView, type ViewLine } from '../live-view.ts';
import type { Shell } from '../shell.ts';
import { type RolloutProblem, type RolloutState, rolloutState } from './rollout-state.ts';

export interface RolloutOptions {
  readonly client: Client;
  readonly deployment: { readonly namespace: string; readonly name: string };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly shell: Pick<Shell, 'err' | 'errColumns'>;
}

export interface Rollout {
  readonly state: RolloutState;
  readonly tookMs: number;
  /** Why it is not done; absent if it is. */
  readonly problem: RolloutProblem | undefined;
  /** The node that only plays its pods, if it is such a one: nothing runs in them. */
  readonly simulatedBy: string | undefined;
  /** The last lines of the pod that the problem is about. */
  readonly log: readonly string[];
}

const pollMs = 500;
/** A refusal may be over in a moment, such as that of an account that was made just before. */
const patienceMs = 2500;
const tailLines = 20;

export async function awaitRollout(options: RolloutOptions): Promise<Rollout> {
  const { client, timeoutMs, signal } = options;
  const start = systemClock.monotonic();
  const view = new LiveView(options.shell);
  let stuckSince: number | undefined;
  try {
    await replaceStuck(options);
    for (;;) {
      const state = await look(options);
      const now = systemClock.monotonic();
      const tookMs = now - start;
      view.show(linesOf(options.deployment.name, state));
      if (state.isDone) {
        return { state, tookMs, problem: undefined, simulatedBy: await simulatedBy(options, state), log: [] };
      }
      stuckSince = state.problem?.isFinal ? (stuckSince ?? now) : undefined;
      const isStuck = stuckSince !== undefined && now - stuckSince >= patienceMs;
      if (isStuck || tookMs >= timeoutMs) {
        const problem = state.problem ?? late(state, timeoutMs);
        const log = await lastLines(client, problem, signal);
        return { state, tookMs, problem, simulatedBy: undefined, log };
      }
      await sleep(systemClock, pollMs, signal);
    }
  } finally {
    view.clear();
  }
}

/**
 * Pods that an earlier call left behind: a kubelet waits up to five minutes before it tries them again, and until then they
 * show the failure from before, whatever was mended meanwhile. Whoever may not delete them is told that one.
 */
async function replaceStuck(options: RolloutOptions): Promise<void> {
  const { client, deployment, signal } = options;
  const { pods } = await look(options);
  for (const { name } of pods.filter(({ problem }) => problem?.isFinal)) {
    await client.delete(Pod, `${deployment.namespace}/${name}`, { signal }).catch((error: unknown) => {
      if (!isForbidden(error) && !isNotFound(error)) throw error;
    });
  }
}

async function look({ client, deployment: { namespace, name }, signal }: RolloutOptions): Promise<RolloutState> {
  const deployment = await client.get(Deployment, `${namespace}/${name}`, { signal });
  const labels = deployment.spec.selector.matchLabels ?? {};
  const [replicaSets, pods, events] = await Promise.all([
    client.list(ReplicaSet, { namespace, labels, signal }),
    client.list(Pod, { namespace, labels, signal }),
    client.list(Event, { namespace, fields: 'involvedObject.kind=Pod', signal }),
  ]);
  return rolloutState({
    deployment,
    replicaSets: replicaSets.items,
    pods: pods.items,
    events: events.items,
  });
}

/** As the node says of itself. Whoever may not look at nodes is not told. */
async function simulatedBy({ client, signal }: RolloutOptions, { pods }: RolloutState): Promise<string | undefined> {
  for (const node of new Set(pods.flatMap((pod) => pod.node ?? []))) {
    const found = await client.find(Node, node, { signal }).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      return undefined;
    });
    if (found?.status.nodeInfo?.kubeletVersion === 'simulated') return node;
  }
  return undefined;
}

function linesOf(name: string, { ready, wanted, pods, problem }: RolloutState): readonly ViewLine[] {
  const isTold = pods.some((pod) => pod.problem === problem);
  return [
    { key: 'all', text: `${name}: ${ready} of ${wanted} pods ready` },
    ...(problem && !isTold ? [{ key: 'problem', text: `  ${problem.text}` }] : []),
    ...pods.map(({ name: key, text }) => ({ key, text: `  ${text}` })),
  ];
}

function late({ ready, wanted }: RolloutState, timeoutMs: number): RolloutProblem {
  return {
    text: `${ready} of ${wanted} pods are ready after ${timeoutMs / 1000} s`,
    next: 'call again to go on waiting, or give it longer with --timeout',
    isFinal: false,
  };
}

async function lastLines(client: Client, { log }: RolloutProblem, signal: AbortSignal): Promise<readonly string[]> {
  if (log === undefined) return [];
  const chunks: Uint8Array[] = [];
  try {
    const options = { container: 'manager', previous: log.isPrevious, tailLines, signal };
    for await (const chunk of podLog(client, log.pod, options)) chunks.push(chunk);
  } catch {
    return []; // it has none any more
  }
  const text = Buffer.concat(chunks).toString().trimEnd();
  return text === '' ? [] : text.split('\n');
}
