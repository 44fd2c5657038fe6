/**
 * Probes: `/healthz` says that the process answers, `/readyz` that it sees the cluster, may lead and answers webhooks.
 *
 * Strangers learn which check failed and nothing else; `?verbose` shows all of them, with details to those who ask from
 * the machine itself. `?exclude=NAME` leaves a check out, `/readyz/NAME` asks for one alone.
 * A watch that fails after its first list is shown as degraded and does not make the process unready: its objects are
 * still known, and restarting cannot help.
 */
import type { Informer } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import { isAbsentKind } from '../cache/caches.ts';
import { problemOf } from '../cache/watch-problem.ts';
import type { Check } from '../serving/check.ts';
import type { Answer, Routes, Visit } from '../serving/http-server.ts';
import type { Standing } from './leadership.ts';

/** What a probe needs to know of a watch. */
type Watched = Pick<Informer, 'kind' | 'health'>;

/** `standing` is absent where there is no election; `others` are checks beside. */
export function healthRoutes(
  informers: () => readonly Watched[],
  standing?: () => Standing,
  others: () => readonly Check[] = () => [],
): Routes {
  const liveness = (): readonly Check[] => [{ name: 'ping', problem: undefined }];
  const readiness = () => [...informers().map(syncCheck), ...(standing ? [leaderCheck(standing())] : []), ...others()];
  return {
    '/healthz': (visit) => answer('healthz', liveness(), visit),
    '/healthz/': (visit) => answer('healthz', liveness(), visit),
    '/readyz': (visit) => answer('readyz', readiness(), visit),
    '/readyz/': (visit) => answer('readyz', readiness(), visit),
  };
}

function syncCheck({ kind, health }: Watched): Check {
  const name = `sync-${resourceNameOf(kind)}`;
  const problem = problemOf(health);
  if (isAbsentKind({ kind, health }))
    return { name, problem: undefined, note: { word: 'absent', details: problem ?? '' } };
  if (!health.synced) return { name, problem: problem ?? 'the first list is not complete yet' };
  return { name, problem: undefined, note: problem === undefined ? undefined : { word: 'degraded', details: problem } };
}

/** Who stands by is ready: its caches are complete, and it begins as soon as it is elected. */
function leaderCheck({ standing, problem }: Standing): Check {
  return { name: 'leader-election', problem, note: { word: '', details: standing } };
}

function answer(what: string, all: readonly Check[], { rest, query, isLocal }: Visit): Answer {
  const contentType = 'text/plain';
  const excluded = query.getAll('exclude');
  const checks = all.filter(({ name }) => (rest === '' || name === rest) && !excluded.includes(name));
  if (rest !== '' && !all.some(({ name }) => name === rest)) {
    return { status: 404, contentType, body: `there is no check of that name\n` };
  }
  const isOk = checks.every(({ problem }) => problem === undefined);
  const isVerbose = query.has('verbose');
  const shown = isVerbose ? checks : checks.filter(({ problem }) => problem !== undefined);
  const lines = shown.map((check) => lineOf(check, isVerbose && isLocal));
  const verdict = isOk ? 'ok' : `${what} check failed`;
  return { status: isOk ? 200 : 500, contentType, body: `${[...lines, verdict].join('\n')}\n` };
}

/** Kubernetes' own servers say it in the same words. */
function lineOf({ name, problem, note }: Check, withDetails: boolean): string {
  if (problem !== undefined) return `[-]${name} failed: ${withDetails ? problem : 'reason withheld'}`;
  const remark = withDetails ? [note?.word, note?.details].filter(Boolean).join(': ') : note?.word;
  return `[+]${name} ok${remark ? `, ${remark}` : ''}`;
}
