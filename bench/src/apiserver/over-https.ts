/** What is asked of both servers over HTTPS, by the same generator: creates, lists, and watches during creates. */
import type { Benchmark } from '../benchmark.ts';
import type { Stage } from '../stage/stage.ts';
import { processorMs } from '../start/processor-time.ts';
import { load, measuresOf, sampleOf } from './load.ts';
import type { Server } from './servers.ts';

export interface Contest {
  readonly stage: Stage;
  readonly ours: Server;
  readonly peer: Server;
}

/** A sample for each side, by one function. */
const sides = ({ ours, peer }: Contest, sample: (server: Server) => Promise<number[]>) => ({
  ours: () => sample(ours),
  peer: () => sample(peer),
});

let namespaces = 0;
const newName = (what: string) => `${what}-${++namespaces}`;

export function sequentialCreates(contest: Contest, count: number): Benchmark {
  const sample = async (server: Server) =>
    sampleOf(await load(contest.stage, server, 'create', newName('creates'), String(count), '1'));
  const what = `${count.toLocaleString('en')} pods created one after the other`;
  return { rounds: 5, measures: measuresOf(what, 0.33), ...sides(contest, sample) };
}

/** The whole list as one answer, as a client reads it that accepts `accept`. */
export function listPods(contest: Contest, namespace: string, accept: string, name: string, goal?: number): Benchmark {
  const sample = async (server: Server) => sampleOf(await load(contest.stage, server, 'list', namespace, accept));
  return { rounds: 7, measures: measuresOf(name, goal), ...sides(contest, sample) };
}

/** From the first create to the last event at the last watcher. */
export function watchedCreates(
  contest: Contest,
  { watchers, count }: { readonly watchers: number; readonly count: number },
): Benchmark {
  const { stage } = contest;
  const sample = async (server: Server) => {
    const namespace = newName('watched');
    const common = [server.kubeconfig, namespace];
    await using creator = stage.start('load', 'create', ...common, String(count), '1');
    await creator.figures();
    await using audience = stage.start('load', 'watch', ...common, String(watchers), String(count));
    await audience.figures();
    const before = processorMs(server.pids);
    const delivered = audience.figures();
    const created = creator.figures();
    audience.say('go');
    const begun = stage.clock.monotonic();
    creator.say('go');
    const [heard, made] = await Promise.all([delivered, created]);
    const wallMs = stage.clock.monotonic() - begun;
    const cpuMs = (heard.cpuMs ?? Number.NaN) + (made.cpuMs ?? Number.NaN);
    return sampleOf({ wallMs, cpuMs, serverCpuMs: processorMs(server.pids) - before });
  };
  const what = `${watchers} watchers, ${count.toLocaleString('en')} creates`;
  return { rounds: 5, measures: measuresOf(what, 1), ...sides(contest, sample) };
}
