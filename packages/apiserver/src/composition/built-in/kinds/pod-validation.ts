/** What the server demands of a pod spec, in pods and in templates: as far as an operator's own objects can go wrong. */

import { compareQuantities, equalJson, parseQuantity } from '@keelson/core';
import type { Container, Pod, PodSpec } from '@keelson/core/v1';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  labelProblems,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, type JsonObject, readAs, without } from '../../../object.ts';

export const nonNegative = (field: string, value: unknown): readonly Problem[] =>
  typeof value === 'number' && value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];

const portProblems = (field: string, port: number | undefined): readonly Problem[] =>
  port === undefined || port === 0
    ? [required(field)]
    : port < 1 || port > 65_535
      ? [invalidValue(field, port, 'must be between 1 and 65535, inclusive')]
      : [];

function containerProblems(container: Container, field: string, names: Set<string>): readonly Problem[] {
  const { name, image } = container;
  const causes: Problem[] = [];
  if (!name) causes.push(required(`${field}.name`));
  else {
    for (const problem of labelProblems(name)) causes.push(invalidValue(`${field}.name`, name, problem));
    if (names.has(name)) causes.push(duplicateValue(`${field}.name`, name));
    names.add(name);
  }
  if (!image) causes.push(required(`${field}.image`));
  else if (image.trim() !== image) {
    causes.push(invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  }
  (container.ports ?? []).forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    causes.push(...portProblems(`${at}.containerPort`, port.containerPort));
    if (port.protocol !== undefined && !['SCTP', 'TCP', 'UDP'].includes(port.protocol)) {
      causes.push(unsupportedValue(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
    }
  });
  const pull = container.imagePullPolicy ?? '';
  if (!['Always', 'IfNotPresent', 'Never'].includes(pull)) {
    causes.push(unsupportedValue(`${field}.imagePullPolicy`, pull, ['Always', 'IfNotPresent', 'Never']));
  }
  const { requests = {}, limits = {} } = container.resources ?? {};
  for (const [name, wanted] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined || isAtMost(String(wanted), String(limit))) continue;
    const why = `must be less than or equal to ${name} limit of ${limit}`;
    causes.push(invalidValue(`${field}.resources.requests`, wanted, why));
  }
  (container.env ?? []).forEach((variable, index) => {
    if (!variable.name) causes.push(required(`${field}.env[${index}].name`));
  });
  return causes;
}

function isAtMost(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) <= 0;
}

export function podSpecProblems(spec: PodSpec, field: string): readonly Problem[] {
  const names = new Set<string>();
  const causes: Problem[] = [];
  (spec.volumes ?? []).forEach((volume, index) => {
    const at = `${field}.volumes[${index}].name`;
    if (!volume.name) causes.push(required(at));
    else for (const problem of labelProblems(volume.name)) causes.push(invalidValue(at, volume.name, problem));
  });
  if ((spec.containers ?? []).length === 0) causes.push(required(`${field}.containers`));
  (spec.containers ?? []).forEach((container, index) => {
    causes.push(...containerProblems(container, `${field}.containers[${index}]`, names));
  });
  (spec.initContainers ?? []).forEach((container, index) => {
    causes.push(...containerProblems(container, `${field}.initContainers[${index}]`, names));
  });
  const policies = ['Always', 'OnFailure', 'Never'];
  if (!policies.includes(spec.restartPolicy ?? '')) {
    causes.push(unsupportedValue(`${field}.restartPolicy`, spec.restartPolicy ?? '', policies));
  }
  const dns = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  if (!dns.includes(spec.dnsPolicy ?? ''))
    causes.push(unsupportedValue(`${field}.dnsPolicy`, spec.dnsPolicy ?? '', dns));
  return causes;
}

const unchangeable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The fields of a spec that an update may touch, taken out. */
function fixedPart(spec: JsonObject): JsonObject {
  const bare = without(spec, 'activeDeadlineSeconds', 'tolerations', 'schedulingGates');
  const images = (list: unknown) =>
    Array.isArray(list) ? list.map((container: JsonObject) => without(container, 'image')) : list;
  return { ...bare, containers: images(bare.containers), initContainers: images(bare.initContainers) };
}

export function podUpdateProblems(object: ApiObject, old: ApiObject): readonly Problem[] {
  const [before, after] = [readAs<Pod>(old), readAs<Pod>(object)];
  const causes: Problem[] = [];
  const count = (pod: Pod, name: 'containers' | 'initContainers') => (pod.spec[name] ?? []).length;
  for (const name of ['containers', 'initContainers'] as const) {
    if (count(before, name) !== count(after, name)) {
      return [forbiddenField(`spec.${name}`, 'pod updates may not add or remove containers')];
    }
  }
  const tolerations = after.spec.tolerations ?? [];
  if ((before.spec.tolerations ?? []).some((each) => !tolerations.some((other) => equalJson(each, other)))) {
    causes.push(
      forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    );
  }
  if (!equalJson(fixedPart(object.spec as JsonObject), fixedPart(old.spec as JsonObject))) {
    causes.push(forbiddenField('spec', unchangeable));
  }
  return causes;
}
