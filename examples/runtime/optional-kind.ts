/** A kind that a cluster may not have: the Site works without a Monitor, and gets one when the definition is installed. */
import { generationChanged, operator, optional } from '@keelson/core';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'optional.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: { storage: true, spec: z.object({ host: z.string() }), status: z.object({ monitored: z.boolean() }) },
  },
});

/** Someone else's: this operator installs no definition of it. */
export const Monitor = defineKind({
  group: 'monitoring.example.com',
  kind: 'Monitor',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ target: z.string() }) } },
});

const sites = controller({
  for: Site,
  when: generationChanged, // what is wanted changed; the status that we write does not wake us
  owns: [optional(Monitor)],
  async reconcile({ metadata: { name }, spec: { host } }, { cache, owned, status }) {
    const monitored = cache.serves(Monitor);
    if (monitored) await owned.apply(Monitor, { metadata: { name }, spec: { target: host } });
    status.report({ monitored });
    return done;
  },
});

export const monitoredOperator = operator({ name: 'monitored-operator', controllers: [sites] });
if (import.meta.main) await run(monitoredOperator);
