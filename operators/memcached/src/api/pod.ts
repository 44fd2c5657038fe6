/** What of a pod is the user's to say in v1. Each field is passed on as it is, and left out leaves the template as it was. */
import { exactlyOneOf, withRules } from '@keelson/schema/rules';
import {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  EmptyDirVolumeSource,
  LocalObjectReference,
  PersistentVolumeClaimVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
  VolumeMount,
} from '@keelson/schema/v1';
import { z } from 'zod';
import { v1alpha1 } from './v1alpha1.ts';

const { shape } = v1alpha1.spec;

/** Those that the restricted Pod Security Standard lets a pod have, but for the odd ones. */
const volume = withRules(
  z.object({
    name: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
    secret: SecretVolumeSource.optional(),
    configMap: ConfigMapVolumeSource.optional(),
    emptyDir: EmptyDirVolumeSource.optional(),
    projected: ProjectedVolumeSource.optional(),
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource.optional(),
    csi: CSIVolumeSource.optional(),
  }),
  (self) => [
    exactlyOneOf(self.secret, self.configMap, self.emptyDir, self.projected, self.persistentVolumeClaim, self.csi),
  ],
);

export const pod = z.object({
  labels: shape.podLabels,
  annotations: shape.podAnnotations,
  nodeSelector: shape.nodeSelector,
  tolerations: shape.tolerations,
  affinity: shape.affinity,
  topologySpreadConstraints: shape.topologySpreadConstraints,
  priorityClassName: shape.priorityClassName,
  resources: shape.resources.describe(
    'What a pod asks for and may use. Limits that are given, also an empty set of them, are exactly its limits. Requests that are left out are 100m of CPU, and memory as spec.memory needs it.',
  ),
  serviceAccountName: z
    .string()
    .max(253)
    .optional()
    .describe('The ServiceAccount of the pods, of which they get no token.'),
  imagePullSecrets: z
    .array(LocalObjectReference)
    .max(16)
    .optional()
    .describe('Secrets with which the image is pulled.'),
  volumes: z
    .array(volume)
    .max(16)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('Volumes for files that spec.config.extraArgs names.'),
  volumeMounts: z.array(VolumeMount).max(16).optional().describe('Where the server finds them.'),
});
