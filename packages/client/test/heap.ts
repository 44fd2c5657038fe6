/** What is really held: the heap when all garbage is gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export function heapAfterCollection(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
