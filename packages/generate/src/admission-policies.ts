/** `config/admission`: the policies that the API server applies for the operator, each with its binding. */
import { admissionPoliciesOf } from '@keelson/core';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';

/** None where there are no policies. */
export function admissionPolicyFiles(installation: Installation): readonly GeneratedFile[] {
  return admissionPolicies(installation).map((objects) =>
    yamlFile(`config/admission/${objects[0].metadata.name}.yaml`, ...objects),
  );
}

/** Each policy, and its binding. */
export function admissionPolicies(installation: Installation) {
  const labels = labelsOf(installation);
  const labelled = <T extends { readonly metadata: object }>(object: T) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  });
  return admissionPoliciesOf(installation.operator).map(
    ({ policy, binding }) => [labelled(policy), labelled(binding)] as const,
  );
}
