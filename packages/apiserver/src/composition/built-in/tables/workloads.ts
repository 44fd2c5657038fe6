/** The rows of workloads: wanted, there, ready. */

import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@keelson/core/apps/v1';
import type { PodDisruptionBudget } from '@keelson/core/policy/v1';
import {
  age,
  ageColumn,
  column,
  containerCells,
  containerColumns,
  integer,
  labelsText,
  named,
  selectorText,
  wide,
} from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';

const selectorColumn = wide('Selector', 'Which pods belong to it, by their labels.');

export const deploymentTable = named(
  (object, now) => {
    const { spec, status } = readAs<Deployment>(object);
    return [
      `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      status?.updatedReplicas ?? 0,
      status?.availableReplicas ?? 0,
      age(object, now),
      ...containerCells(spec.template.spec),
      selectorText(spec.selector),
    ];
  },
  column('Ready', 'Number of the pod with ready state'),
  column('Up-to-date', 'Total number of pods that have the desired template.'),
  column('Available', 'Total number of pods that have been ready for long enough.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);

export const replicaSetTable = named(
  (object, now) => {
    const { spec, status } = readAs<ReplicaSet>(object);
    return [
      spec.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      age(object, now),
      ...containerCells(spec.template?.spec),
      selectorText(spec.selector),
    ];
  },
  integer('Desired', 'How many pods are wanted.'),
  integer('Current', 'How many pods there are.'),
  integer('Ready', 'How many of them are ready.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);

export const statefulSetTable = named(
  (object, now) => {
    const { spec, status } = readAs<StatefulSet>(object);
    return [
      `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
      age(object, now),
      ...containerCells(spec?.template.spec),
    ];
  },
  column('Ready', 'Number of the pod with ready state'),
  ageColumn,
  ...containerColumns,
);

export const daemonSetTable = named(
  (object, now) => {
    const { spec, status } = readAs<DaemonSet>(object);
    return [
      status?.desiredNumberScheduled ?? 0,
      status?.currentNumberScheduled ?? 0,
      status?.numberReady ?? 0,
      status?.updatedNumberScheduled ?? 0,
      status?.numberAvailable ?? 0,
      labelsText(spec?.template.spec?.nodeSelector),
      age(object, now),
      ...containerCells(spec?.template.spec),
      selectorText(spec?.selector),
    ];
  },
  integer('Desired', 'How many nodes should run the pod.'),
  integer('Current', 'How many nodes run it and should.'),
  integer('Ready', 'On how many it is ready.'),
  integer('Up-to-date', 'On how many it has the current template.'),
  integer('Available', 'On how many it has been ready for long enough.'),
  column('Node Selector', 'Which nodes should run it.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);

export const podDisruptionBudgetTable = named(
  (object, now) => {
    const { spec, status } = readAs<PodDisruptionBudget>(object);
    return [
      String(spec?.minAvailable ?? 'N/A'),
      String(spec?.maxUnavailable ?? 'N/A'),
      status?.disruptionsAllowed ?? 0,
      age(object, now),
    ];
  },
  column('Min Available', 'The minimum number of pods that must be available.'),
  column('Max Unavailable', 'The maximum number of pods that may be unavailable.'),
  integer('Allowed Disruptions', 'Calculated number of pods that may be disrupted at this time.'),
  ageColumn,
);
