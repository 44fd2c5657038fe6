/** The benchmarks of the embedded API server, side by side with kube-apiserver and etcd. */
import { join } from 'node:path';
import type { Clock } from '@keelson/core';
import type { Benchmark } from '../benchmark.ts';
import { publishAll } from '../stage/published.ts';
import { Stage } from '../stage/stage.ts';
import { temporaryFolder } from '../stage/temporary-folder.ts';
import { firstCluster, inProcess } from './in-process.ts';
import { populate } from './memory.ts';
import { listPods, sequentialCreates, watchedCreates } from './over-https.ts';
import { startEmbedded, startReal } from './servers.ts';
import { firstAnswers } from './start.ts';

const population = 10_000;
const count = 1000;
const watchers = 100;

/** What Go's clients accept for a built-in kind; ours has only the second. */
const goAccept = 'application/vnd.kubernetes.protobuf,application/json';

export async function* apiserverBenchmarks(clock: Clock): AsyncGenerator<Benchmark, void, undefined> {
  console.error('building the packages');
  using published = publishAll();
  using folder = temporaryFolder();
  const stage = new Stage(join(published.subjects, 'apiserver'), clock);
  yield firstCluster(stage);
  yield firstAnswers(stage, folder.path);
  yield inProcess(stage, { population, count, watchers });

  await using ours = await startEmbedded(stage, folder.path);
  await using peer = await startReal(stage);
  const contest = { stage, ours, peer };
  console.error('making 10,000 pods');
  yield* await populate(contest, 'population', population);
  yield listPods(contest, 'population', 'application/json', 'list of 10,000 pods, JSON', 0.5);
  yield listPods(contest, 'population', goAccept, 'list of 10,000 pods, as Go asks');
  yield sequentialCreates(contest, count);
  yield watchedCreates(contest, { watchers, count });
}
