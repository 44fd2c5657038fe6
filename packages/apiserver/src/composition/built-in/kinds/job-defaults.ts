/** Defaults of Jobs, and the selector and labels by which the pods of a Job are its own. */
import type { Job } from '@keelson/core/batch/v1';
import { type ApiObject, at, type JsonObject, put, readAs } from '../../../object.ts';
import { change, changeEach, fill } from './fill.ts';
import { templateDefaults } from './pod-defaults.ts';

const int32Max = 2 ** 31 - 1;

/** Of the spec, without those of the pods' template. */
const jobSpecDefaults = (spec: JsonObject): JsonObject => {
  const isSimple = spec.completions === undefined && spec.parallelism === undefined;
  const filled = fill(spec, {
    ...(isSimple ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : int32Max,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
  return conditionDefaults(filled);
};

const conditionDefaults = (spec: JsonObject): JsonObject =>
  change(spec, 'podFailurePolicy', (policy) =>
    changeEach(policy, 'rules', (rule) =>
      changeEach(rule, 'onPodConditions', (pattern) => fill(pattern, { status: 'True' })),
    ),
  );

export const jobDefaults = (object: ApiObject): ApiObject =>
  withTemplateLabels(change(templateDefaults(object), 'spec', jobSpecDefaults));

/** In a CronJob only the pods' template and the failure policy have defaults; the rest gets them when a Job is made. */
export const jobTemplateDefaults = (template: JsonObject): JsonObject =>
  change(templateDefaults(template as ApiObject), 'spec', conditionDefaults);

/** A Job without labels has those of its pods. */
function withTemplateLabels(object: ApiObject): ApiObject {
  const labels = at(object, 'spec', 'template', 'metadata', 'labels');
  const isLabelled = Object.keys(object.metadata.labels ?? {}).length > 0;
  return isLabelled || labels === undefined ? object : put(object, ['metadata', 'labels'], labels);
}

/** Unless the selector is the creator's affair, it selects by the Job's uid, and labels that contradict are refused. */
export function withGeneratedSelector(object: ApiObject): ApiObject {
  const { metadata, spec } = readAs<Job>(object);
  if (spec.manualSelector) return withTemplateLabels(object);
  const { uid, name = '' } = metadata;
  const generated = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const before = spec.template.metadata?.labels;
  const labels = { ...generated, ...before };
  // Labels that the Job has from its template, and not from its creator, are one value with them and stay so.
  const isShared = before !== undefined && metadata.labels === before;
  const matchLabels = { 'batch.kubernetes.io/controller-uid': uid, ...spec.selector?.matchLabels };
  const labelled = put(object, ['spec', 'template', 'metadata', 'labels'], labels);
  const selecting = put(labelled, ['spec', 'selector', 'matchLabels'], matchLabels);
  return withTemplateLabels(isShared ? put(selecting, ['metadata', 'labels'], labels) : selecting);
}
