/** What a population of pods costs: resident memory of the servers' processes, and what ours holds for each pod. */
import type { Benchmark } from '../benchmark.ts';
import { residentMb } from '../start/resident.ts';
import { load } from './load.ts';
import type { Contest } from './over-https.ts';
import type { EmbeddedServer } from './servers.ts';

/** Makes the pods on both, and reads off what that took; there is one population, and so one sample. */
export async function populate(
  contest: Contest & { readonly ours: EmbeddedServer },
  namespace: string,
  count: number,
): Promise<readonly Benchmark[]> {
  const { stage, ours } = contest;
  const before = await ours.heldBytes();
  const resident: Record<'ours' | 'peer', number> = { ours: 0, peer: 0 };
  for (const side of ['ours', 'peer'] as const) {
    await load(stage, contest[side], 'create', namespace, String(count), '8');
    resident[side] = residentMb(contest[side].pids);
  }
  const perPod = ((await ours.heldBytes()) - before) / count;
  const pods = `${count.toLocaleString('en')} pods`;
  return [
    {
      rounds: 1,
      measures: [{ name: `memory with ${pods}`, unit: 'MB', goal: 0.25 }],
      ours: async () => [resident.ours],
      peer: async () => [resident.peer],
    },
    {
      rounds: 1,
      measures: [{ name: `ours with ${pods}: heap and buffers for each`, unit: 'B' }],
      ours: async () => [perPod],
    },
  ];
}
