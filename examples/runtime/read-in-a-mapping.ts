/** A mapping reads the reconciled kind: a profile (a ConfigMap) concerns every Site that lists its name. */
import { changed, keyOf, operator, watch } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'mapping.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ profiles: z.array(z.string()).default([]) }),
      status: z.object({ headers: z.array(z.string()) }),
    },
  },
});

const profiles = { 'example.com/profile': 'true' };

const sites = controller({
  for: Site,
  watches: [
    watch(ConfigMap, {
      labels: profiles, // nothing else is cached
      when: changed((profile) => profile.data), // new labels or annotations wake nobody
      to: ({ metadata }, { cache }) =>
        cache
          .list(Site)
          .filter(({ spec }) => spec.profiles.includes(metadata.name))
          .map(keyOf),
    }),
  ],
  async reconcile({ spec }, { cache, status }) {
    const known = cache.list(ConfigMap, { labels: profiles });
    const wanted = spec.profiles.flatMap((name) => known.find(({ metadata }) => metadata.name === name) ?? []);
    status.report({ headers: wanted.flatMap(({ data = {} }) => Object.keys(data)).sort() });
    return done;
  },
});

export const profileOperator = operator({ name: 'profile-operator', controllers: [sites] });
if (import.meta.main) await run(profileOperator);
