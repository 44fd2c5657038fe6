/** What a Site no longer asks for is removed: one ConfigMap for each page, and a Service only while it is public. */
import { operator, removable } from '@keelson/core';
import { ConfigMap, Service } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'removed.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ pages: z.record(z.string(), z.string()).default({}), public: z.boolean().default(false) }),
    },
  },
});

const sites = controller({
  for: Site,
  owns: [removable(ConfigMap), removable(Service)], // the right to delete follows
  async reconcile({ metadata: { name }, spec }, { owned }) {
    const pages = Object.entries(spec.pages).map(([page, text]) => ({ name: `${name}-${page}`, text }));
    for (const page of pages)
      await owned.apply(ConfigMap, { metadata: { name: page.name }, data: { text: page.text } });
    await owned.only(
      ConfigMap,
      pages.map((page) => page.name),
    ); // others' ConfigMaps are never touched
    if (spec.public) await owned.apply(Service, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
    else await owned.absent(Service, name);
    return done;
  },
});

export const tidyOperator = operator({ name: 'tidy-operator', controllers: [sites] });
if (import.meta.main) await run(tidyOperator);
