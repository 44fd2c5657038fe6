/** One task of the load generator, in a fresh process, on one of the servers. */
import { pick, type Stage } from '../stage/stage.ts';
import { processorMs } from '../start/processor-time.ts';
import type { Figures } from '../subjects/subject.ts';
import type { Server } from './servers.ts';

/** What the generator tells, with the processor time that the server took meanwhile as `serverCpuMs`. */
export async function load(stage: Stage, server: Server, ...task: readonly string[]): Promise<Figures> {
  const [name = '', ...args] = task;
  await using generator = stage.start('load', name, server.kubeconfig, ...args);
  await generator.figures(); // prepared
  const before = processorMs(server.pids);
  const told = generator.figures();
  generator.say('go');
  const figures = await told;
  return { ...figures, serverCpuMs: processorMs(server.pids) - before };
}

const columns = ['wallMs', 'serverCpuMs', 'cpuMs'];

/** Time, processor time of the server, processor time of the generator. */
export const sampleOf = (figures: Figures): number[] => pick(figures, columns);

/** The measures of `sampleOf`; the goal is for the time. */
export const measuresOf = (what: string, goal?: number) => [
  { name: `${what}: time`, unit: 'ms', ...(goal !== undefined && { goal }) },
  { name: `${what}: CPU of the server`, unit: 'ms' },
  { name: `${what}: CPU of the load generator`, unit: 'ms' },
];
