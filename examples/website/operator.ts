/** The Website operator: pages, servers, an Ingress, and the host name in a directory outside the cluster. */
import { keyOf, metadataOf, operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Ingress } from '@keelson/core/networking/v1';
import { ConfigMap, Secret, Service } from '@keelson/core/v1';
import { controller, requeueAfter } from '@keelson/runtime';
import { z } from 'zod';
import { Website } from './api.ts';
import { desiredConfigMap, desiredDeployment, desiredIngress, desiredService } from './desired.ts';
import { httpDirectory } from './directory.ts';
import { failedStatus, statusOf } from './status.ts';

const settings = z.object({
  directory: z.url().default('http://directory.web-system/').describe('The directory of host names.'),
});

export const websiteOperator = (fetch: typeof globalThis.fetch = globalThis.fetch) =>
  operator({
    name: 'website-operator',
    leaderElection: true,
    settings,
    controllers: [
      controller({
        for: Website,
        owns: [ConfigMap, Deployment, Service, Ingress],
        refers: [{ to: Secret, by: (site) => site.spec.tlsSecret }],
        settings,
        async reconcile(site, { cache, owned, status, events, settings: { directory: url }, signal }) {
          const { host, tlsSecret } = site.spec;
          const hasSecret =
            tlsSecret !== undefined &&
            cache.get(metadataOf(Secret), `${site.metadata.namespace}/${tlsSecret}`) !== undefined;
          await owned.apply(ConfigMap, desiredConfigMap(site));
          const deployment = await owned.apply(Deployment, desiredDeployment(site));
          await owned.apply(Service, desiredService(site));
          await owned.apply(Ingress, desiredIngress(site, hasSecret ? tlsSecret : undefined));

          const directory = httpDirectory(url, fetch);
          const owner = await directory.ownerOf(host, signal);
          if (owner === undefined) {
            await directory.claim(host, site.metadata.uid, signal);
            events.normal('Registered', `${host} is in the directory`);
          }
          status.report(statusOf(site, deployment, { owner: owner ?? site.metadata.uid, hasSecret }));
          return requeueAfter(60_000); // nobody tells us of changes in the directory
        },
        async finalize({ spec, metadata }, { settings: { directory: url }, signal }) {
          await httpDirectory(url, fetch).release(spec.host, metadata.uid, signal);
        },
        onError(site, error, { events }) {
          const message = error instanceof Error ? error.message : String(error);
          events.warning('Failed', `${keyOf(site)}: ${message}`);
          return failedStatus(site, message);
        },
      }),
    ],
  });
