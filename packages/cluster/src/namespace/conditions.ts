/** What a namespace that is being deleted says about its content, in Kubernetes' words. */
import { timestamp } from '@keelson/core';
import type { NamespaceCondition } from '@keelson/core/v1';

/** What was found while deleting the content of a namespace. */
export interface Findings {
  /** Why discovery could not show everything. */
  readonly discovery: string | undefined;
  /** Why resources could not be deleted. */
  readonly failures: readonly string[];
  /** Objects that are left, by `resource.group` (a dot at the end for the legacy group). */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects that are left because of a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Statement {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const well = (reason: string, message: string): Statement => ({ status: 'False', reason, message });
const bad = (reason: string, message: string): Statement => ({ status: 'True', reason, message });

function statements({ discovery, failures, remaining, finalizers }: Findings): Readonly<Record<string, Statement>> {
  return {
    NamespaceDeletionDiscoveryFailure:
      discovery === undefined
        ? well('ResourcesDiscovered', 'All resources successfully discovered')
        : bad('DiscoveryFailed', discovery),
    NamespaceDeletionGroupVersionParsingFailure: well(
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    NamespaceDeletionContentFailure:
      failures.length === 0
        ? well('ContentDeleted', 'All content successfully deleted, may be waiting on finalization')
        : bad(
            'ContentDeletionFailed',
            `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
          ),
    NamespaceContentRemaining:
      remaining.size === 0
        ? well('ContentRemoved', 'All content successfully removed')
        : bad('SomeResourcesRemain', `Some resources are remaining: ${list(remaining, 'has', 'resource instances')}`),
    NamespaceFinalizersRemaining:
      finalizers.size === 0
        ? well('ContentHasNoFinalizers', 'All content-preserving finalizers finished')
        : bad(
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${list(finalizers, 'in', 'resource instances')}`,
          ),
  };
}

function list(counts: ReadonlyMap<string, number>, verb: string, noun: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} ${noun}`)
    .sort()
    .join(', ');
}

/** `conditions` with the findings in place; the same array when that changes nothing. */
export function conditionsOf(
  conditions: readonly NamespaceCondition[],
  findings: Findings,
  wallMs: number,
): readonly NamespaceCondition[] {
  let next = conditions;
  for (const [type, statement] of Object.entries(statements(findings))) {
    const current = next.find((each) => each.type === type);
    if (!current) next = [...next, { type, ...statement, lastTransitionTime: timestamp(wallMs) }];
    else if (!isSaid(current, statement)) {
      const lastTransitionTime = current.status === statement.status ? current.lastTransitionTime : timestamp(wallMs);
      next = next.map((each) => (each === current ? { type, ...statement, lastTransitionTime } : each));
    }
  }
  return next;
}

function isSaid({ status, reason, message }: NamespaceCondition, statement: Statement): boolean {
  return status === statement.status && reason === statement.reason && message === statement.message;
}
