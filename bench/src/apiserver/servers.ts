/** The two API servers that are compared: ours as a process, and kube-apiserver with its etcd. */
import { join } from 'node:path';
import { freePort, startKubernetes } from '@keelson/tools-kubernetes';
import type { Stage } from '../stage/stage.ts';
import { processesNaming } from '../start/resident.ts';

export interface Server extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Its processes: one of ours, two of the real one. */
  readonly pids: readonly number[];
}

export interface EmbeddedServer extends Server {
  /** What it holds, in the heap and outside, once the garbage is gone. */
  heldBytes(): Promise<number>;
}

export async function startEmbedded(stage: Stage, folder: string): Promise<EmbeddedServer> {
  const kubeconfig = join(folder, 'embedded');
  const subject = stage.start('server', String(await freePort('127.0.0.1')), kubeconfig);
  await subject.figures();
  return {
    kubeconfig,
    pids: [subject.pid],
    async heldBytes() {
      const told = subject.figures();
      subject.say('memory');
      return (await told).heldBytes ?? Number.NaN;
    },
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}

export async function startReal({ clock }: Stage): Promise<Server> {
  // With controllers, namespaces would get accounts and pods would be bound, at the same time.
  const kube = await startKubernetes({ clock, controllers: false });
  return {
    kubeconfig: kube.kubeconfig,
    pids: processesNaming(kube.directory).map(({ pid }) => pid),
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}
