/**
 * The load, the same for every API server. Arguments: the task, a kubeconfig, a namespace, and what the task needs.
 *
 * It says when it is prepared, begins when it is told to, and says then what it took.
 */
import { argv } from 'node:process';
import { Meter, tell, told } from '../subject.ts';
import { newNamespace, pod, podName, podsPath } from './pod.ts';
import { type Question, Wire } from './wire.ts';

const [, , task, kubeconfig = '', namespace = '', ...rest] = argv;
const wires = (count: number) => Promise.all(Array.from({ length: count }, () => Wire.open(kubeconfig)));
const path = podsPath(namespace);

async function expect(wire: Wire, status: number, question: Question): Promise<number> {
  const answer = await wire.ask(question);
  if (answer.status !== status) throw new Error(`${question.method} ${question.path}: ${answer.status}`);
  return answer.bytes;
}

async function begin(): Promise<Meter> {
  const go = told();
  tell({ prepared: 1 });
  await go;
  return new Meter();
}

const figures = (work: Meter) => ({ wallMs: work.wallMs(), cpuMs: work.cpuMs() });

switch (task) {
  case 'create': {
    const [count = '', parallel = ''] = rest;
    const open = await wires(Number(parallel));
    for (const request of newNamespace(namespace)) await expect(open[0] ?? fail(), 201, { method: 'POST', ...request });
    const bodies = Array.from({ length: Number(count) }, (_, index) => pod(podName(index)));
    const work = await begin();
    let next = 0;
    await Promise.all(
      open.map(async (wire) => {
        while (next < bodies.length) await expect(wire, 201, { method: 'POST', path, body: bodies[next++] ?? '' });
      }),
    );
    tell(figures(work));
    break;
  }
  case 'list': {
    const [accept = ''] = rest;
    const [wire = fail()] = await wires(1);
    const work = await begin();
    const bytes = await expect(wire, 200, { method: 'GET', path, accept });
    tell({ ...figures(work), bytes });
    break;
  }
  case 'watch': {
    const [watchers = '', events = ''] = rest;
    let missing = Number(watchers) * Number(events);
    const open = await wires(Number(watchers));
    let work: Meter | undefined;
    const seen = (count: number) => {
      missing -= count;
      if (missing === 0 && work !== undefined) tell(figures(work));
    };
    await Promise.all(open.map((wire) => wire.watch(`${path}?watch=true`, seen)));
    work = await begin();
    break;
  }
  default:
    throw new RangeError(`unknown task ${task}`);
}

function fail(): never {
  throw new RangeError('expected at least one connection');
}
