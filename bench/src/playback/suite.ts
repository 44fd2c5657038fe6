/** The engine beside itself at another revision, against a server that plays a recording: seconds in place of minutes. */
import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, deadline } from '@keelson/core';
import { kubeconfig } from '@keelson/tools-kubernetes';
import type { Benchmark, Sample } from '../benchmark.ts';
import { type Operator, ourOperator, startOperator } from '../engine/operators.ts';
import { type Published, publishAll } from '../stage/published.ts';
import { temporaryFolder } from '../stage/temporary-folder.ts';
import type { PlayerMessage } from './player.ts';
import { recordOne } from './recording.ts';
import { publishedAt } from './revision.ts';
import { Script } from './script.ts';

const player = fileURLToPath(new URL('./player.ts', import.meta.url));
/** Between a server that answers at once, which makes one burst of everything, and one that has no time. */
const answerMs = 2;
const listeningWithinMs = 60_000;

export interface PlaybackOptions {
  /** How many custom resources there are. */
  readonly count: number;
  /** The commit that is the peer. */
  readonly before: string;
}

export async function* playbackBenchmarks(
  clock: Clock,
  { count, before }: PlaybackOptions,
): AsyncGenerator<Benchmark, void, undefined> {
  using folder = temporaryFolder();
  console.error(`building the packages, here and at ${before}`);
  using there = await publishedAt(before);
  using here = publishAll();
  console.error('recording what a real control plane tells of one resource');
  const file = join(folder.path, 'recording.json');
  const states = await recordOne(operatorOf(here), clock);
  new Script(states); // one that cannot be played is refused now
  writeFileSync(file, JSON.stringify(states));
  const recording = { file, count, namespace: states[0]?.object.metadata.namespace ?? '' };
  const what = `${count.toLocaleString('en')} resources against a recording, 1 worker`;
  const sample = (published: Published) => () => converge(operatorOf(published), recording, folder.path, clock);
  yield {
    measures: [
      { name: `${what}: CPU`, unit: 'ms' },
      { name: `${what}: peak memory`, unit: 'MB' },
    ],
    ours: sample(here),
    peer: sample(there),
  };
}

const operatorOf = ({ subjects }: Published): Operator => ourOperator(join(subjects, 'engine'));

interface Recording {
  readonly file: string;
  /** For how many Caches it is played. */
  readonly count: number;
  readonly namespace: string;
}

async function converge(
  operator: Operator,
  { file, count, namespace }: Recording,
  folder: string,
  clock: Clock,
): Promise<Sample> {
  await using server = new Player(fork(player, [file, String(count), String(answerMs)], { execArgv: [] }), clock);
  const listening = await server.says('listening', listeningWithinMs);
  const config = join(folder, 'kubeconfig');
  writeFileSync(config, kubeconfig({ ...listening, user: 'operator', credentials: { token: 'any' } }));
  const available = server.says('available');
  available.catch(() => {}); // whoever waits for it hears of it
  await using process = await startOperator(operator, { kubeconfig: config, namespace, workers: 1 }, clock);
  await process.until(available, `${count} Caches that are Available`);
  const { cpuMs, peakMb } = process.consumption();
  return [cpuMs, peakMb];
}

class Player implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #clock: Clock;

  constructor(child: ChildProcess, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    this.#ended = new Promise((resolve) => void child.once('close', () => resolve()));
  }

  /** To be asked before it can come. */
  async says<T extends PlayerMessage['type']>(
    type: T,
    withinMs = Number.POSITIVE_INFINITY,
  ): Promise<Extract<PlayerMessage, { readonly type: T }>> {
    using limit = Number.isFinite(withinMs) ? deadline(this.#clock, withinMs, 'waiting for the player') : undefined;
    return await new Promise((resolve, reject) => {
      limit?.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
      this.#child.on('message', (message: PlayerMessage) => {
        if (message.type === type) resolve(message as Extract<PlayerMessage, { readonly type: T }>);
      });
      void this.#ended.then(() => reject(new Error('the player has ended')));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
