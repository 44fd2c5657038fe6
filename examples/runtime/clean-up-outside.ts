/** What an object leaves outside the cluster goes before it does: a DNS record for each Site, removed by `finalize`. */
import { operator } from '@keelson/core';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'finalized.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ host: z.string() }) } },
});

/** The outside: a record for each owner, so that another host replaces the one before, and nobody removes another's. */
export const records = new Map<string, string>();

const sites = controller({
  for: Site,
  async reconcile({ metadata: { uid }, spec: { host } }) {
    records.set(uid, host); // asks for what shall be: it may be called again
    return done;
  },
  async finalize({ metadata: { uid } }) {
    records.delete(uid); // when this throws, the Site stays, and it is tried again
  },
});

export const recordOperator = operator({ name: 'record-operator', controllers: [sites] });
if (import.meta.main) await run(recordOperator);
