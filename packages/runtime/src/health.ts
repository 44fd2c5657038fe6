/**
 * Probes: `/healthz` says that the process answers, `/readyz` that it sees the cluster; `?verbose` gives each check.
 *
 * A watch that fails later does not make the process unready: its objects are still known, and restarting cannot help.
 */
import type { Informer } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import type { Answer, Routes } from './http-server.ts';
import type { Standing } from './leadership.ts';

interface Check {
  readonly name: string;
  /** Absent when all is well. */
  readonly problem: string | undefined;
}

/** What a probe needs to know of a watch. */
type Watched = Pick<Informer, 'kind' | 'health'>;

/** `standing` is absent where nobody is elected. */
export function healthRoutes(informers: () => readonly Watched[], standing?: () => Standing): Routes {
  const readiness = () => [...informers().map(syncCheck), ...(standing ? [leaderCheck(standing())] : [])];
  return {
    '/healthz': (query) => answer('healthz', [{ name: 'ping', problem: undefined }], query),
    '/readyz': (query) => answer('readyz', readiness(), query),
  };
}

function syncCheck({ kind, health }: Watched): Check {
  const name = `sync-${resourceNameOf(kind)}`;
  if (health.synced) return { name, problem: undefined };
  return { name, problem: problemOf(health) ?? 'the first list is not complete yet' };
}

/** Who stands by is ready: its caches are complete, and it begins as soon as it is elected. */
const leaderCheck = ({ problem }: Standing): Check => ({ name: 'leader-election', problem });

/** What keeps a watch from working, with the rule to add when it is forbidden. */
export function problemOf({
  forbidden,
  lastError,
}: Pick<Informer['health'], 'forbidden' | 'lastError'>): string | undefined {
  if (forbidden === undefined) return lastError?.message;
  const { group, resource, namespace } = forbidden;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return `forbidden; missing rule: apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["get", "list", "watch"] ${where}`;
}

function answer(what: string, checks: readonly Check[], query: URLSearchParams): Answer {
  const ok = checks.every(({ problem }) => problem === undefined);
  const lines = checks.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  const verbose = query.has('verbose') || !ok;
  const verdict = ok ? 'ok' : `${what} check failed`;
  return {
    status: ok ? 200 : 500,
    contentType: 'text/plain',
    body: `${[...(verbose ? lines : []), verdict].join('\n')}\n`,
  };
}
