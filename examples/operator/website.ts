/** An operator, whole: a Website becomes a Deployment. */
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

const spec = z.object({ image: z.string(), replicas: z.int32().min(1).max(9).default(2) });
const status = z.object({ readyReplicas: z.int32() });
export const Website = defineKind({
  group: 'example.com',
  kind: 'Website',
  hub: 'v1',
  versions: { v1: { storage: true, spec, status } },
});

const websites = controller({
  for: Website,
  owns: [Deployment],
  async reconcile({ metadata: { name }, spec: { image, replicas } }, { owned, status }) {
    const labels = { website: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
    const deployment = await owned.apply(Deployment, {
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    status.report({ readyReplicas: deployment.status.readyReplicas ?? 0 });
    return done; // the Deployment is owned: its next change brings us back
  },
});

export const websiteOperator = operator({ name: 'website-operator', controllers: [websites] });
if (import.meta.main) await run(websiteOperator);
