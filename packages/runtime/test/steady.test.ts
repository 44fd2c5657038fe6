/** A steady state is silent, for a virtual hour; ten of them are in long/steady.test.ts. */
import { test } from 'node:test';
import { staySteady } from './steady.ts';

test('a virtual hour of resyncs over values that the server writes in its own way: no write at all', () =>
  staySteady(60));
