/**
 * From the first line of a program to a client, and to the first answer.
 *
 * Ours imports `@keelson/client` and the kind `Deployment`, the peer its one package; both read a kubeconfig. Ours loads
 * its HTTP client only with the first request, and the peer at once: hence the second measure.
 */
import type { Benchmark } from '../benchmark.ts';
import { pick, type Stage } from '../stage/stage.ts';

export function coldStart(stage: Stage, kubeconfig: string, namespace: string): Benchmark {
  const sample = async (side: 'ours' | 'peer') =>
    pick(await stage.run(side, 'start', kubeconfig, namespace), ['readyMs', 'answeredMs']);
  return {
    measures: [
      { name: 'import, until a client is made', unit: 'ms', goal: 0.25 },
      { name: 'import, until the first GET is answered', unit: 'ms' },
    ],
    ours: () => sample('ours'),
    peer: () => sample('peer'),
  };
}
