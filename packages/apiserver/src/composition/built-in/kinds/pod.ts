/** Pods: status and quality of service at creation, deletion grace, what an update may change. */
import type { Container, Pod } from '@keelson/core/v1';
import { type ApiObject, at, put, readAs } from '../../../object.ts';
import { podTable } from '../tables/pod.ts';
import type { KindRules } from './kind-rules.ts';
import { podDefaults } from './pod-defaults.ts';
import { podSpecProblems, podUpdateProblems } from './pod-validation.ts';

const asPod = (object: ApiObject): Pod => readAs<Pod>(object);

/** Guaranteed: every container has limits for both, equal to its requests; BestEffort: none has anything. */
export function qosClass({ spec }: Pod): string {
  const containers: readonly Container[] = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const counted = ['cpu', 'memory'];
  const has = (list: Readonly<Record<string, unknown>> | undefined, name: string) =>
    list?.[name] !== undefined && list[name] !== '0';
  if (
    !containers.some(({ resources }) =>
      counted.some((name) => has(resources?.requests, name) || has(resources?.limits, name)),
    )
  ) {
    return 'BestEffort';
  }
  const guaranteed = containers.every(({ resources }) =>
    counted.every((name) => has(resources?.limits, name) && resources?.requests?.[name] === resources?.limits?.[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const text =
  (...path: string[]) =>
  (object: ApiObject): string =>
    String(at(object, ...path) ?? '');

export const pod: KindRules = {
  default: podDefaults,
  generation: 'content',
  prepareForCreate: (object) => ({ ...object, status: { phase: 'Pending', qosClass: qosClass(asPod(object)) } }),
  prepareForStatus(object, old) {
    // Old kubelets leave it out.
    return at(object, 'status', 'qosClass') === undefined
      ? put(object, ['status', 'qosClass'], at(old, 'status', 'qosClass'))
      : object;
  },
  validate: (object) => podSpecProblems(asPod(object).spec, 'spec'),
  validateUpdate: podUpdateProblems,
  validateStatus: () => [],
  returnsDeleted: true,
  grace(object, requested) {
    const { spec, status } = asPod(object);
    if (!spec.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  fields: {
    'spec.nodeName': text('spec', 'nodeName'),
    'spec.host': text('spec', 'nodeName'), // its name of old
    'spec.restartPolicy': text('spec', 'restartPolicy'),
    'spec.schedulerName': text('spec', 'schedulerName'),
    'spec.serviceAccountName': text('spec', 'serviceAccountName'),
    'spec.hostNetwork': (object) => String(at(object, 'spec', 'hostNetwork') ?? false),
    'status.phase': text('status', 'phase'),
    'status.podIP': (object) => String(at(object, 'status', 'podIPs', 0, 'ip') ?? at(object, 'status', 'podIP') ?? ''),
    'status.podIPs': () => '', // known, and never filled in
    'status.nominatedNodeName': text('status', 'nominatedNodeName'),
  },
  shortUnknownField: true,
  table: podTable,
};
