/** Kinds that differ from the common rules in little. */
import { invalidValue } from '@keelson/schema/validation';
import { at } from '../../../object.ts';
import { leaseTable, nodeTable } from '../tables/core.ts';
import { change, fill, fillSpec } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

export const serviceAccount: KindRules = { returnsDeleted: true };

export const lease: KindRules = {
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate(object) {
    const duration = at(object, 'spec', 'leaseDurationSeconds');
    const transitions = at(object, 'spec', 'leaseTransitions');
    return [
      ...(typeof duration === 'number' && duration <= 0
        ? [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
        : []),
      ...(typeof transitions === 'number' && transitions < 0
        ? [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
        : []),
    ];
  },
  table: leaseTable,
};

export const node: KindRules = {
  keepsStatus: true,
  default: (object) =>
    change(object, 'status', (status) =>
      status.capacity !== undefined ? fill(status, { allocatable: status.capacity }) : status,
    ),
  fields: { 'spec.unschedulable': (object) => String(at(object, 'spec', 'unschedulable') ?? false) },
  shortUnknownField: true,
  table: nodeTable,
};

export const ingress: KindRules = { generation: 'content' };
export const networkPolicy: KindRules = {
  generation: 'content',
  default: (object) =>
    change(object, 'spec', (spec) => {
      const egress = Array.isArray(spec.egress) && spec.egress.length > 0;
      return fill(spec, { policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] });
    }),
};
export const counted: KindRules = { generation: 'content' };
export const conditional: KindRules = { unconditionalUpdate: false };
export const returned: KindRules = { returnsDeleted: true };
export const apiService: KindRules = {
  unconditionalUpdate: false,
  default: (object) =>
    change(object, 'spec', (spec) => change(spec, 'service', (service) => fill(service, { port: 443 }))),
};
export const csiDriver: KindRules = {
  returnsDeleted: true,
  unconditionalUpdate: false,
  default: fillSpec({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
    volumeLifecycleModes: ['Persistent'],
  }),
};
export const priorityClass: KindRules = {
  default: (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
  prepareForCreate: (object) => ({ ...object, metadata: { ...object.metadata, generation: 1 } }),
};
