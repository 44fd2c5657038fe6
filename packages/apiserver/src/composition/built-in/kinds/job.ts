/** Jobs: a selector of their own, and what may change in one that has begun. */
import { equalJson, matchesLabels, requirementsOf } from '@keelson/core';
import type { Job, JobSpec } from '@keelson/core/batch/v1';
import { fieldsInOrder, invalidValue, labelProblems, type Problem, required } from '@keelson/schema/validation';
import { type ApiObject, at, readAs } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { jobDefaults, withGeneratedSelector } from './job-defaults.ts';
import { failurePolicyAsHeld, successPolicyAsHeld } from './job-policies.ts';
import { jobSpecProblems } from './job-spec.ts';
import { jobStatusProblems } from './job-status.ts';
import type { KindRules } from './kind-rules.ts';

const asJob = (object: ApiObject): Job => readAs<Job>(object);

/** A selector that cannot be evaluated has been complained of already. */
function selects(selector: JobSpec['selector'], labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false;
  try {
    return matchesLabels(requirementsOf(selector), labels);
  } catch {
    return true;
  }
}

/** Labels that the server has generated must say what it would generate. */
function generatedSelectorProblems({ metadata, spec }: Job): readonly Problem[] {
  if (spec.manualSelector || spec.selector === undefined) return [];
  const { uid, name = '' } = metadata;
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  };
  const labels = spec.template.metadata?.labels ?? {};
  const problems = Object.entries(expected).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) return [required(field, `must be '${value}'`)];
    return labels[key] === value ? [] : [invalidValue(field, labels, `must be '${value}'`)];
  });
  return selects(spec.selector, expected)
    ? problems
    : [...problems, invalidValue('spec.selector', fieldsInOrder(spec.selector), '`selector` not auto-generated')];
}

function specProblems({ spec }: Job): readonly Problem[] {
  const { selector, template } = spec;
  const labels = template.metadata?.labels;
  return [
    ...jobSpecProblems(spec, 'spec'),
    ...(selector === undefined ? [required('spec.selector')] : selectorProblems(selector, 'spec.selector')),
    ...(selects(selector, labels ?? {})
      ? []
      : [invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')]),
  ];
}

/** The hostname of the last pod must be one. */
function hostnameProblems({ metadata, spec }: Job): readonly Problem[] {
  if (spec.completionMode !== 'Indexed' || !spec.completions || spec.completions < 0) return [];
  const longest = `${metadata.name}-${spec.completions - 1}`;
  if (labelProblems(longest).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalidValue('metadata.name', metadata.name, why)];
}

function validate(object: ApiObject): readonly Problem[] {
  const job = asJob(object);
  return [...generatedSelectorProblems(job), ...specProblems(job), ...hostnameProblems(job)];
}

function changeProblems(job: Job, old: Job): readonly Problem[] {
  const { spec } = job;
  const fixed = (name: keyof JobSpec, shown: unknown) =>
    equalJson(spec[name], old.spec[name]) ? [] : [invalidValue(`spec.${name}`, shown, 'field is immutable')];
  return [
    ...completionsProblems(spec, old.spec),
    ...fixed('selector', fieldsInOrder(spec.selector)),
    ...templateProblems(job, old),
    ...fixed('completionMode', spec.completionMode),
    ...fixed('podFailurePolicy', failurePolicyAsHeld(spec.podFailurePolicy)),
    ...fixed('backoffLimitPerIndex', spec.backoffLimitPerIndex ?? null),
    ...fixed('managedBy', spec.managedBy ?? null),
    ...fixed('successPolicy', successPolicyAsHeld(spec.successPolicy)),
  ];
}

/** Indexed Jobs may become larger and smaller, as long as all pods may run at once. */
function completionsProblems(spec: JobSpec, old: JobSpec): readonly Problem[] {
  if (spec.completions === old.completions) return [];
  if (spec.completionMode !== 'Indexed') {
    return [invalidValue('spec.completions', spec.completions ?? null, 'field is immutable')];
  }
  return spec.completions === undefined || spec.completions === spec.parallelism
    ? []
    : [invalidValue('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** As long as a Job rests and no pod of it runs, where its pods go and what they need may change; nothing else ever. */
function templateProblems(job: Job, old: Job): readonly Problem[] {
  const { status } = old;
  const isSuspended = status?.conditions?.some(({ type, status: isTrue }) => type === 'Suspended' && isTrue === 'True');
  const mayMove = old.spec.suspend && (!status?.startTime || isSuspended) && !status?.active;
  const [before, after] = [old, job].map(({ spec }) => (mayMove ? fixedPart(spec) : spec.template));
  if (equalJson(before, after)) return [];
  return mayMove
    ? [invalidValue('spec.template.spec', fieldsInOrder(job.spec.template.spec), 'field is immutable')]
    : [invalidValue('spec.template', fieldsInOrder(job.spec.template), 'field is immutable')];
}

/** The template's spec without what may change in a Job that rests. */
function fixedPart({ template }: JobSpec): unknown {
  const { nodeSelector, tolerations, schedulingGates, affinity, containers, initContainers, ...rest } =
    template.spec ?? { containers: [] };
  const { nodeAffinity, ...otherAffinity } = affinity ?? {};
  const bare = (list: typeof containers | undefined) => list?.map(({ resources, ...container }) => container);
  const others = Object.keys(otherAffinity).length > 0 ? { affinity: otherAffinity } : {};
  return { ...rest, ...others, containers: bare(containers), initContainers: bare(initContainers) };
}

export const job: KindRules = {
  default: jobDefaults,
  generation: 'content',
  prepareForCreate: withGeneratedSelector,
  validate,
  // The server looks at the spec once as a whole and once as a change.
  validateUpdate: (object, old) => [...specProblems(asJob(object)), ...changeProblems(asJob(object), asJob(old))],
  validateStatus: (object, old) => jobStatusProblems(asJob(object), asJob(old)),
  warnings: (object, old) => (old ? [] : nameWarnings(object)),
  orphansDependents: true,
  fields: { 'status.successful': (object) => String(at(object, 'status', 'succeeded') ?? 0) },
  unknownField: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
};

export function nameWarnings({ metadata }: ApiObject): readonly string[] {
  const problems = labelProblems(metadata.name ?? '');
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}
