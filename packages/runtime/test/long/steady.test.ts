import { test } from 'node:test';
import { staySteady } from '../steady.ts';

test('ten virtual hours of resyncs over values that the server writes in its own way: no write at all', () =>
  staySteady(600));
