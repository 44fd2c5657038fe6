/** What no watch shows: a Site is looked at when its registrar says that the domain changed, or someone calls a hook. */
import { operator } from '@keelson/core';
import { channel, controller, done, polling, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'polled.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: { storage: true, spec: z.object({ domain: z.string() }), status: z.object({ expires: z.string() }) },
  },
});

/** The outside: which domains changed since the last question, and when each expires. */
export const registrar = {
  changed: new Set<string>(),
  expiry: new Map<string, string>(),
};

/** For an HTTP handler, a message queue or the like: `hooks.wake('default/shop')`. */
export const hooks = channel('hook');

const sites = controller({
  for: Site,
  sources: [
    hooks,
    polling({
      name: 'registrar',
      everyMs: 60_000,
      async poll({ cache }) {
        const changed = cache.list(Site).filter(({ spec }) => registrar.changed.delete(spec.domain));
        return changed.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      },
    }),
  ],
  async reconcile({ spec: { domain } }, { status }) {
    status.report({ expires: registrar.expiry.get(domain) ?? 'unknown' });
    return done;
  },
});

export const polledOperator = operator({ name: 'polled-operator', controllers: [sites] });
if (import.meta.main) await run(polledOperator);
