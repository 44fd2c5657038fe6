/** What is ours and what is not: an autoscaler's replicas and injected containers stay, a foreign port is taken out. */
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Service } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Site = defineKind({
  group: 'shared.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ image: z.string() }) } },
});

const sites = controller({
  for: Site,
  owns: [Deployment, Service],
  async reconcile({ metadata: { name }, spec: { image } }, { owned }) {
    const labels = { site: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
    await owned.apply(
      Deployment,
      { metadata: { name }, spec: { replicas: 1, selector: { matchLabels: labels }, template } },
      { shared: ['spec.replicas', 'spec.template.spec.containers'] }, // the image is ours: it is put right
    );
    await owned.apply(Service, { metadata: { name }, spec: { selector: labels, ports: [{ name: 'http', port: 80 }] } });
    return done;
  },
});

export const sharingOperator = operator({ name: 'sharing-operator', controllers: [sites] });
if (import.meta.main) await run(sharingOperator);
