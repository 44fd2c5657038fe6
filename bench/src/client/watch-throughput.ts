/**
 * How fast an informer takes in changes, when there are more than it can take.
 *
 * A real API server makes changes more slowly than a client reads them. So all informers of the benchmark are started and
 * have their lists, their connections are cut, and the changes are made; then one after the other may connect again, and
 * gets all of them at once from the server's memory. Both resume where they were.
 */
import type { Client } from '@keelson/client';
import { Deployment } from '@keelson/core/apps/v1';
import { type Forwarder, startForwarder } from '@keelson/tools-kubernetes';
import type { Benchmark, Sample } from '../benchmark.ts';
import type { Stage } from '../stage/stage.ts';
import type { SubjectProcess } from '../stage/subject-process.ts';
import { nameOf } from '../subjects/client/names.ts';
import { inParallel } from './population.ts';
import { type Recording, record } from './recording.ts';

const events = 5000;
const rounds = 3;

export interface WatchOptions {
  readonly client: Client;
  /** The API server's address. */
  readonly server: string;
  /** Writes a kubeconfig that leads to another address, and returns its path. */
  readonly kubeconfigFor: (server: string) => string;
  readonly namespace: string;
  /** How many Deployments there are. */
  readonly deployments: number;
  /** Where the changes are recorded. */
  readonly file: string;
}

/** An informer that cannot reach the server. */
interface Waiting extends AsyncDisposable {
  readonly subject: SubjectProcess;
  readonly door: Forwarder;
}

export class Backlog implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #options: WatchOptions;
  readonly #waiting: Record<'ours' | 'peer', Waiting[]> = { ours: [], peer: [] };

  constructor(stage: Stage, options: WatchOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  /** Starts the informers, shuts them out, and makes the changes. */
  async benchmark(): Promise<Benchmark> {
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const side of ['ours', 'peer'] as const) this.#waiting[side].push(await this.#start(side));
    }
    for (const { door } of Object.values(this.#waiting).flat()) {
      door.stall();
      door.cut();
    }
    const changes = await this.#change();
    const eventBytes = changes.bytes / changes.lines;
    const what = `watch, ${events.toLocaleString('en')} events of ${(eventBytes / 1e3).toFixed(1)} kB`;
    return {
      rounds,
      measures: [
        { name: `${what}: CPU per event`, unit: 'µs' },
        { name: `${what}: time per 1,000`, unit: 'ms' },
      ],
      ours: () => this.#sample('ours'),
      peer: () => this.#sample('peer'),
      limit: async () => perEvent(await this.#stage.run('limit', 'parse', changes.file)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.#waiting).flatMap((all) => all.map((each) => each[Symbol.asyncDispose]())));
  }

  async #start(side: 'ours' | 'peer'): Promise<Waiting> {
    const { server, kubeconfigFor, namespace, deployments } = this.#options;
    const door = await startForwarder(server);
    const subject = this.#stage.start(side, 'watch', kubeconfigFor(door.url), namespace, String(events));
    const { cached } = await subject.figures();
    if (cached !== deployments) throw new Error(`${side} has cached ${cached} of ${deployments} Deployments`);
    const end = async () => {
      await subject[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
    };
    return { subject, door, [Symbol.asyncDispose]: end };
  }

  async #change(): Promise<Recording> {
    const { client, namespace, deployments, file } = this.#options;
    const { resourceVersion } = await client.list(Deployment, { namespace });
    await inParallel(events, 16, (index) =>
      client.patch(Deployment, `${namespace}/${nameOf(index % deployments)}`, {
        metadata: { annotations: { 'example.com/change': String(index) } },
      }),
    );
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments?watch=true&resourceVersion=${resourceVersion}`;
    return await record(file, client.streamRaw(path), (_line, lines) => lines === events);
  }

  async #sample(side: 'ours' | 'peer'): Promise<Sample> {
    await using waiting = this.#waiting[side].shift();
    if (!waiting) throw new RangeError(`there are only ${rounds} rounds`);
    const { subject, door } = waiting;
    const listening = subject.figures();
    subject.say('go');
    await listening;
    const done = subject.figures();
    door.resume();
    return perEvent(await done);
  }
}

function perEvent({ cpuMs = Number.NaN, wallMs = Number.NaN }): Sample {
  return [(cpuMs * 1000) / events, (wallMs * 1000) / events];
}
