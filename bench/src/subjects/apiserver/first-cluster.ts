/** The first cluster of a test process, from nothing: `@keelson/testing` is imported, and a cluster is started and ready. */
import { Meter, tell } from '../subject.ts';

const work = new Meter();
const { startCluster } = await import('@keelson/testing');
const importMs = work.wallMs();
await using _first = await startCluster();
const [readyMs, cpuMs] = [work.wallMs(), work.cpuMs()];
const again = new Meter();
await using _second = await startCluster();
tell({ importMs, readyMs, cpuMs, secondMs: again.wallMs() });
