/**
 * Runs cases, several at a time, and reports each as it ends. Libraries of tests and the command share it.
 */
import { systemClock } from '@keelson/core/system';
import type { Case } from './case.ts';
import { Disagreement } from './exchange.ts';
import type { Session } from './session.ts';
import { Trial } from './trial.ts';

export type Outcome =
  | { readonly type: 'passed'; readonly tookMs: number; readonly leftBehind: readonly string[] }
  | {
      readonly type: 'failed';
      readonly tookMs: number;
      readonly leftBehind: readonly string[];
      readonly report: string;
    }
  | { readonly type: 'skipped'; readonly reason: string };

export interface Result {
  readonly case: Case;
  readonly outcome: Outcome;
}

export async function runCase(session: Session, { needs, proof }: Case): Promise<Outcome> {
  const trial = new Trial(session);
  const start = systemClock.monotonic();
  let report: string | undefined;
  try {
    const reason = await lacks(session, needs);
    if (reason !== undefined) return { type: 'skipped', reason };
    await proof(trial);
  } catch (error) {
    report = describe(error, trial);
  }
  const tookMs = Math.round(systemClock.monotonic() - start);
  const leftBehind = await trial.close();
  return report === undefined ? { type: 'passed', tookMs, leftBehind } : { type: 'failed', tookMs, leftBehind, report };
}

export async function runCases(
  session: Session,
  cases: readonly Case[],
  { concurrency, report }: { readonly concurrency: number; readonly report: (result: Result) => void },
): Promise<Result[]> {
  const results: Result[] = [];
  const run = async (next: Case) => {
    const result = { case: next, outcome: await runCase(session, next) };
    results.push(result);
    report(result);
  };
  // Forgotten history would fail the cases that need it at the same time.
  const alone = cases.filter(({ needs }) => needs === 'compaction');
  const waiting = cases.filter((each) => !alone.includes(each)).values();
  const work = async () => {
    for (const next of waiting) await run(next);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const next of alone) await run(next);
  return results;
}

async function lacks(session: Session, needs: Case['needs']): Promise<string | undefined> {
  switch (needs) {
    case 'controllers':
      return (await session.hasControllers)
        ? undefined
        : 'no controllers: a new namespace got no default service account';
    case 'compaction':
      return session.compact ? undefined : 'this runner cannot compact the history of the server';
    case 'owner permissions':
      return (await session.hasOwnerPermissions)
        ? undefined
        : 'OwnerReferencesPermissionEnforcement is not on: owners may be set by anybody';
    case undefined:
      return undefined;
    default:
      return needs satisfies never;
  }
}

function describe(error: unknown, trial: Trial): string {
  if (error instanceof Disagreement) return `${error.message}\n${error.exchange}`;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return trial.last ? `${text}\nafter\n${trial.last.disagreement('').exchange}` : text;
}
