/** Some namespaces and no others: `node some-namespaces.ts --namespace one,two`, with Roles instead of ClusterRoles. */
import { metadataOf, operator } from '@keelson/core';
import { Secret } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'scoped.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: { storage: true, spec: z.object({ certificate: z.string() }), status: z.object({ isSecure: z.boolean() }) },
  },
});

const sites = controller({
  for: Site,
  // Certificates are shared: they are watched in their own namespace, wherever the Sites are, and nowhere else.
  refers: [{ to: Secret, by: ({ spec }) => `vault/${spec.certificate}`, namespaces: ['vault'] }],
  async reconcile({ spec }, { cache, status }) {
    status.report({ isSecure: cache.get(metadataOf(Secret), `vault/${spec.certificate}`) !== undefined });
    return done;
  },
});

/** `rolesOf(scopedOperator, { namespace, namespaces })` says which rules it needs where. */
export const scopedOperator = operator({ name: 'scoped-operator', controllers: [sites] });
if (import.meta.main) await run(scopedOperator);
