/** Applying, ownership and strategic patches give what a real API server gave for the same writes. */
import { test } from 'node:test';
import { replay } from './recorded/replay.ts';
import { readRecordings } from './recorded/types.ts';

for (const file of ['gadget', 'gizmo', 'built-in', 'strategic']) {
  for (const recording of readRecordings(file)) {
    test(`${recording.resource}: ${recording.name}`, () => replay(recording));
  }
}
