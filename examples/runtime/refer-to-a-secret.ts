/** A Site refers to a Secret by name: when the Secret comes, changes or goes, those who name it are reconciled. */
import { operator } from '@keelson/core';
import { Secret } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'refers.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ tlsSecret: z.string().optional() }),
      status: z.object({ certificate: z.string() }),
    },
  },
});

const sites = controller({
  for: Site,
  refers: [{ to: Secret, by: (site) => site.spec.tlsSecret }], // metadata is cached, and the right to get it follows
  async reconcile({ metadata: { namespace }, spec: { tlsSecret } }, { client, status }) {
    const secret = tlsSecret === undefined ? undefined : await client.find(Secret, `${namespace}/${tlsSecret}`);
    const certificate = secret?.data?.['tls.crt'] ?? '';
    status.report({ certificate: Buffer.from(certificate, 'base64').toString() || 'none' });
    return done;
  },
});

export const siteOperator = operator({ name: 'site-operator', controllers: [sites] });
if (import.meta.main) await run(siteOperator);
