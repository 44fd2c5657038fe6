/** What an operator would do, before it does it: `node plan-first.ts --plan` prints it, and calls nobody outside. */
import { operator } from '@keelson/core';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'planned.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: { storage: true, spec: z.object({ host: z.string() }), status: z.object({ published: z.boolean() }) },
  },
});

/** The outside: a directory that knows where a host is served. */
export const directory = new Set<string>();

const sites = controller({
  for: Site,
  owns: [ConfigMap, Secret],
  async reconcile({ metadata: { name }, spec: { host } }, { owned, status, events, plan }) {
    await owned.apply(ConfigMap, { metadata: { name }, data: { 'site.conf': `host ${host}\nindex index.html\n` } });
    await owned.apply(Secret, { metadata: { name }, stringData: { token: `token of ${host}` } });
    if (!plan) directory.add(host);
    events.normal('Published', `at ${host}`);
    await status.apply({ published: true });
    return done;
  },
});

export const plannedOperator = operator({ name: 'planned-operator', controllers: [sites] });
if (import.meta.main) await run(plannedOperator);
