/** What is reported about a Website, as values. */
import type { ObjectOf, StatusInputOf } from '@keelson/core';
import type { Deployment } from '@keelson/core/apps/v1';
import type { Website } from './api.ts';

type Status = StatusInputOf<typeof Website>;

/** What was found: who has the host, and whether the certificate is there. */
interface Found {
  readonly owner: string;
  readonly hasSecret: boolean;
}

export function statusOf(site: Website, deployment: ObjectOf<typeof Deployment>, { owner, hasSecret }: Found): Status {
  const { host, replicas, tlsSecret } = site.spec;
  const readyReplicas = deployment.status?.readyReplicas ?? 0;
  const isRegistered = owner === site.metadata.uid;
  const ready =
    tlsSecret !== undefined && !hasSecret
      ? ({ status: 'False', reason: 'SecretMissing', message: `There is no Secret ${tlsSecret}` } as const)
      : readyReplicas < replicas
        ? ({
            status: 'False',
            reason: 'Starting',
            message: `${readyReplicas} of ${replicas} servers are ready`,
          } as const)
        : ({ status: 'True', reason: 'Serving', message: `${replicas} servers are ready` } as const);
  return {
    url: `${hasSecret ? 'https' : 'http'}://${host}/`,
    readyReplicas,
    conditions: [
      { type: 'Ready', ...ready },
      isRegistered
        ? { type: 'Registered', status: 'True', reason: 'Claimed', message: `${host} is ours` }
        : { type: 'Registered', status: 'False', reason: 'Taken', message: `${host} belongs to ${owner}` },
    ],
  };
}

/** What is known stays; only that something failed is added. */
export function failedStatus({ status, spec }: Website, message: string): Status {
  return {
    url: status?.url ?? `http://${spec.host}/`,
    readyReplicas: status?.readyReplicas ?? 0,
    conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message }],
  };
}
