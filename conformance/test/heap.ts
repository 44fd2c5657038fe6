/** What is really held: the heap when all garbage is gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
