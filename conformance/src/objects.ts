/** Small objects of built-in kinds, as a client would send them. */
import type { Fields } from './exchange.ts';

export function configMap(name: string, data: Fields = {}, metadata: Fields = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** No scheduler takes it and no token is mounted, so that it stays as it was written. */
export function pod(name: string, spec: Fields = {}, metadata: Fields = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      schedulerName: 'conformance',
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'example.com/main:1' }],
      ...spec,
    },
  };
}

/** Paused, so that a Deployment controller, where there is one, makes nothing of it. */
export function deployment(name: string, spec: Fields = {}, metadata: Fields = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      replicas: 3,
      paused: true,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
      },
      ...spec,
    },
  };
}

export function lease(name: string, spec: Fields = {}) {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
}

export function service(name: string, spec: Fields = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
  };
}
