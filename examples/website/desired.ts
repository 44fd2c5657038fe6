/** What a Website needs in the cluster, as values. */
import { createHash } from 'node:crypto';
import type { InputOf } from '@keelson/core';
import type { Deployment } from '@keelson/core/apps/v1';
import type { Ingress } from '@keelson/core/networking/v1';
import type { ConfigMap, Service } from '@keelson/core/v1';
import type { Website } from './api.ts';

const labelsOf = ({ metadata }: Website) => ({ 'app.kubernetes.io/name': 'website', website: metadata.name });
const metadataOf = (site: Website) => ({ name: site.metadata.name, labels: labelsOf(site) });

export const desiredConfigMap = (site: Website): InputOf<typeof ConfigMap> => ({
  metadata: metadataOf(site),
  data: site.spec.pages,
});

/** Its pods are replaced when the pages change: they are named by their hash in the template. */
export function desiredDeployment(site: Website): InputOf<typeof Deployment> {
  const { replicas, pages } = site.spec;
  const content = createHash('sha256')
    .update(JSON.stringify(Object.entries(pages).sort()))
    .digest('hex')
    .slice(0, 16);
  return {
    metadata: metadataOf(site),
    spec: {
      replicas,
      selector: { matchLabels: labelsOf(site) },
      template: {
        metadata: { labels: labelsOf(site), annotations: { 'web.example.com/content': content } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'nginx:1.29',
              ports: [{ name: 'http', containerPort: 80 }],
              resources: { requests: { cpu: '0.05', memory: '32Mi' } },
              volumeMounts: [{ name: 'pages', mountPath: '/usr/share/nginx/html' }],
            },
          ],
          volumes: [{ name: 'pages', configMap: { name: site.metadata.name } }],
        },
      },
    },
  };
}

export const desiredService = (site: Website): InputOf<typeof Service> => ({
  metadata: metadataOf(site),
  spec: { selector: labelsOf(site), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
});

/** With a certificate where there is one. */
export function desiredIngress(site: Website, tlsSecret: string | undefined): InputOf<typeof Ingress> {
  const { host } = site.spec;
  const backend = { service: { name: site.metadata.name, port: { name: 'http' } } };
  return {
    metadata: metadataOf(site),
    spec: {
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      ...(tlsSecret !== undefined && { tls: [{ hosts: [host], secretName: tlsSecret }] }),
    },
  };
}
