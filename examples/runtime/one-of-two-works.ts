/** Two replicas, of which one works: each Bell rings once a minute, whoever leads. `--no-leader-elect` runs it alone. */
import { operator, timestamp } from '@keelson/core';
import { controller, requeueAfter, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Bell = defineKind({
  group: 'led.example.com',
  kind: 'Bell',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ sound: z.string() }), status: z.object({ rung: z.string() }) } },
});

/** The outside: what was heard. */
export const heard: string[] = [];

const bells = controller({
  for: Bell,
  async reconcile({ spec: { sound }, status: before }, { clock, status }) {
    const waitMs = Date.parse(before?.rung ?? '') + 60_000 - clock.now();
    if (waitMs > 0) return requeueAfter(waitMs); // the status has it, so the next leader knows it, too
    await status.apply({ rung: timestamp(clock.now()) }); // refused when the term is over
    heard.push(sound);
    return requeueAfter(60_000);
  },
});

export const bellOperator = operator({
  name: 'bell-operator',
  leaderElection: true, // the rule on Leases follows
  controllers: [bells],
});
if (import.meta.main) await run(bellOperator);
