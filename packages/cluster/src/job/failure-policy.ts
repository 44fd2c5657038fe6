/** A Job's pod failure policy: what the first rule that matches a failed pod says. */
import type { JobSpec } from '@keelson/core/batch/v1';
import type { ContainerStatus, Pod, PodStatus } from '@keelson/core/v1';

type Policy = NonNullable<JobSpec['podFailurePolicy']>;
type Rule = NonNullable<Policy['rules']>[number];
type ExitCodes = NonNullable<Rule['onExitCodes']>;

export interface PolicyMatch {
  readonly action: Rule['action'];
  /** In the words in which a Job that fails by it says so. */
  readonly message: string;
}

const rulesOf = (policy: Policy | undefined): readonly Rule[] => policy?.rules ?? [];

/** `undefined` where no rule matches, which counts like any failure. */
export function matchFailure(policy: Policy | undefined, pod: Pod): PolicyMatch | undefined {
  for (const [index, rule] of rulesOf(policy).entries()) {
    const cause = causeOf(rule, pod);
    if (cause === undefined) continue;
    return {
      action: rule.action,
      message: `${cause} matching ${rule.action} rule at index ${index}`,
    };
  }
  return undefined;
}

/** Whether the failure counts against the limits. */
export const isCounted = (policy: Policy | undefined, pod: Pod): boolean =>
  matchFailure(policy, pod)?.action !== 'Ignore';

function causeOf({ onExitCodes, onPodConditions }: Rule, { metadata, status }: Pod): string | undefined {
  const pod = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes) {
    const container = exitedContainer(status, onExitCodes);
    const code = container?.state?.terminated?.exitCode;
    return container && `Container ${container.name} for pod ${pod} failed with exit code ${code}`;
  }
  const condition = status.conditions?.find((each) =>
    onPodConditions?.some(({ type, status: wanted }) => each.type === type && each.status === wanted),
  );
  return condition && `Pod ${pod} has condition ${condition.type}`;
}

/** A container that runs still has no code to match, and success is no failure. */
function exitedContainer(
  { containerStatuses = [], initContainerStatuses = [] }: PodStatus,
  { containerName, operator, values }: ExitCodes,
): ContainerStatus | undefined {
  return [...containerStatuses, ...initContainerStatuses].find(({ name, state }) => {
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  });
}
