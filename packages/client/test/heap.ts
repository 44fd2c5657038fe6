/** What is really held: the heap when all garbage is gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of buffers that are held, which lie outside of the heap. */
export function buffersAfterCollection(): number {
  collect();
  collect();
  return process.memoryUsage().arrayBuffers;
}

export function heapAfterCollection(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
