/** The rows of what administrators make: policies, classes, quotas, certificates, extensions of the API. */

import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@keelson/core/admissionregistration/v1';
import type { APIService } from '@keelson/core/apiregistration/v1';
import type { CertificateSigningRequest } from '@keelson/core/certificates/v1';
import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/core/flowcontrol/v1';
import type { RuntimeClass } from '@keelson/core/node/v1';
import type { ResourceClaim, ResourceSlice } from '@keelson/core/resource/v1';
import type { PriorityClass } from '@keelson/core/scheduling/v1';
import type { ResourceQuota } from '@keelson/core/v1';
import { age, ageColumn, column, duration, integer, named } from '../../../encode/table-columns.ts';
import { at, readAs } from '../../../object.ts';

export const resourceQuotaTable = named(
  (object, now) => {
    const { hard = {}, used = {} } = readAs<ResourceQuota>(object).status ?? {};
    const text = (limits: boolean) =>
      Object.keys(hard)
        .sort()
        .filter((name) => name.startsWith('limits.') === limits)
        .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name]}`)
        .join(', ');
    return [text(false), text(true), age(object, now)];
  },
  column('Request', 'What is asked for, and how much of it may be.'),
  column('Limit', 'The limits of what is asked for, and how high they may be.'),
  ageColumn,
);

export const priorityClassTable = named(
  (object, now) => {
    const { value, globalDefault, preemptionPolicy } = readAs<PriorityClass>(object);
    return [value, globalDefault ?? false, age(object, now), preemptionPolicy ?? ''];
  },
  integer('Value', 'The priority of its pods.'),
  column('Global-Default', 'Whether it is that of pods without a class.', { type: 'boolean' }),
  ageColumn,
  column('PreemptionPolicy', 'Whether its pods may make others go.'),
);

export const runtimeClassTable = named(
  (object, now) => [readAs<RuntimeClass>(object).handler, age(object, now)],
  column('Handler', 'What runs its containers.'),
  ageColumn,
);

/** A list is not decoded further than its length. */
const countOf = (list: readonly unknown[] | undefined): number => list?.length ?? 0;

export const webhookConfigurationTable = named(
  (object, now) => [countOf(readAs<MutatingWebhookConfiguration>(object).webhooks), age(object, now)],
  integer('Webhooks', 'How many there are.'),
  ageColumn,
);

const policyTable = (heading: string, member: 'mutations' | 'validations') =>
  named(
    (object, now) => {
      const { paramKind } = readAs<ValidatingAdmissionPolicy>(object).spec ?? {};
      return [
        countOf(at(object, 'spec', member) as readonly unknown[] | undefined),
        paramKind ? `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}` : '<unset>',
        age(object, now),
      ];
    },
    integer(heading, 'How many there are.'),
    column('ParamKind', 'The kind of its parameters.'),
    ageColumn,
  );
export const mutatingPolicyTable = policyTable('Mutations', 'mutations');
export const validatingPolicyTable = policyTable('Validations', 'validations');

export const policyBindingTable = named(
  (object, now) => {
    const { policyName, paramRef } = readAs<ValidatingAdmissionPolicyBinding>(object).spec ?? {};
    const parameters = paramRef?.name ? `${paramRef.namespace || '*'}/${paramRef.name}` : undefined;
    return [policyName ?? '', parameters ?? '<unset>', age(object, now)];
  },
  column('PolicyName', 'Which policy it binds.'),
  column('ParamRef', 'The parameters of the policy.'),
  ageColumn,
);

export const flowSchemaTable = named(
  (object, now) => {
    const { spec, status } = readAs<FlowSchema>(object);
    const dangling = (status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status;
    return [
      spec?.priorityLevelConfiguration.name ?? '',
      spec?.matchingPrecedence ?? 0,
      spec?.distinguisherMethod?.type ?? '<none>',
      age(object, now),
      dangling ?? '?',
    ];
  },
  column('PriorityLevel', 'The level of its requests.'),
  column('MatchingPrecedence', 'Which of several schemas comes first.'),
  column('DistinguisherMethod', 'By what its requests are told apart.'),
  ageColumn,
  column('MissingPL', 'Whether there is no such level.'),
);

export const priorityLevelTable = named(
  (object, now) => {
    const { spec } = readAs<PriorityLevelConfiguration>(object);
    const queuing = spec?.limited?.limitResponse?.queuing;
    return [
      spec?.type ?? '',
      spec?.limited === undefined ? '<none>' : (spec.limited.nominalConcurrencyShares ?? 0),
      queuing?.queues ?? '<none>',
      queuing?.handSize ?? '<none>',
      queuing?.queueLengthLimit ?? '<none>',
      age(object, now),
    ];
  },
  column('Type', 'Whether its requests are limited.'),
  column('NominalConcurrencyShares', 'Its share of all requests.'),
  column('Queues', 'How many queues it has.'),
  column('HandSize', 'Of how many queues a request may take one.'),
  column('QueueLengthLimit', 'How long a queue may be.'),
  ageColumn,
);

export const certificateSigningRequestTable = named(
  (object, now) => {
    const { spec, status } = readAs<CertificateSigningRequest>(object);
    const has = (wanted: string) => (status?.conditions ?? []).some(({ type }) => type === wanted);
    const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
    const seconds = spec.expirationSeconds;
    return [
      age(object, now),
      spec.signerName || '<none>',
      spec.username ?? '',
      seconds === undefined ? '<none>' : duration(seconds * 1000),
      [decision, has('Failed') && 'Failed', status?.certificate && 'Issued'].filter(Boolean).join(','),
    ];
  },
  ageColumn,
  column('SignerName', 'Who is to sign it.'),
  column('Requestor', 'Who asks for it.'),
  column('RequestedDuration', 'How long it is to be valid.'),
  column('Condition', 'What has become of it.'),
);

export const resourceClaimTable = named(
  (object, now) => {
    const { status, metadata } = readAs<ResourceClaim>(object);
    const isDeleted = metadata.deletionTimestamp !== undefined;
    const isReserved = (status?.reservedFor ?? []).length > 0;
    const states = [
      isDeleted && 'deleted',
      status?.allocation === undefined ? !isDeleted && 'pending' : 'allocated',
      status?.allocation !== undefined && isReserved && 'reserved',
    ];
    return [states.filter(Boolean).join(','), age(object, now)];
  },
  column('State', 'What has become of it.'),
  ageColumn,
);

export const resourceSliceTable = named(
  (object, now) => {
    const { spec } = readAs<ResourceSlice>(object);
    return [spec.nodeName ?? '', spec.driver, spec.pool.name, age(object, now)];
  },
  column('Node', 'The node that has the devices.'),
  column('Driver', 'Whose devices these are.'),
  column('Pool', 'The pool that they are in.'),
  ageColumn,
);

export const apiServiceTable = named(
  (object, now) => {
    const { spec, status } = readAs<APIService>(object);
    const available = (status?.conditions ?? []).find(({ type }) => type === 'Available');
    const { status: answer = 'Unknown', reason } = available ?? {};
    return [
      spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
      answer === 'True' || !reason ? answer : `${answer} (${reason})`,
      age(object, now),
    ];
  },
  column('Service', 'Who serves it.'),
  column('Available', 'Whether it answers.'),
  ageColumn,
);
