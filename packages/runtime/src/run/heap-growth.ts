/**
 * How far V8 lets the old part of its heap grow before it collects it again: by half of what lives.
 *
 * Where memory is plenty it lets the heap become up to four times what lived. An operator's old garbage is what its cache
 * has let go, so that memory is never used. With a limit below a gigabyte, as in most pods, V8 lets it grow by 30 to 60 %
 * on its own, and it is left alone. Only for a process that is ours. V8 reads the flag after each collection.
 */
import { execArgv } from 'node:process';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const plentyBytes = 1024 ** 3;

export function growHeapByHalf(): void {
  const isChosen = execArgv.some((flag) => /^--heap[-_]growing[-_]percent/.test(flag));
  if (!isChosen && getHeapStatistics().heap_size_limit > plentyBytes) setFlagsFromString('--heap-growing-percent=50');
}
