/** ReplicaSets and ReplicationControllers, as the controller that they share sees them. */
import { ReplicaSet } from '@keelson/core/apps/v1';
import { ReplicationController } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { type ReplicaKind, startReplicaController } from './controller.ts';

const replicaSets: ReplicaKind<typeof ReplicaSet> = {
  kind: ReplicaSet,
  name: 'replicaset',
  component: 'replicaset-controller',
  view: (replicaSet) => replicaSet,
  withStatus: (replicaSet, status) => ({ ...replicaSet, status }),
};

/** The elder: its selector is a map, and its status does not count pods that are going. */
const replicationControllers: ReplicaKind<typeof ReplicationController> = {
  kind: ReplicationController,
  name: 'replicationcontroller',
  component: 'replication-controller',
  view: ({ metadata, spec, status }) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata,
    spec: { ...spec, selector: { matchLabels: spec.selector ?? {} } },
    status,
  }),
  withStatus: (controller, { terminatingReplicas: _, ...status }) => ({ ...controller, status }),
};

export const startReplicaSetController = (context: ControllerContext): RunningController =>
  startReplicaController(context, replicaSets);

export const startReplicationControllerController = (context: ControllerContext): RunningController =>
  startReplicaController(context, replicationControllers);
