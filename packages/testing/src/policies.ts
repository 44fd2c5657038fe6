/** Admission policies of operators on a test's cluster: put into force as they are in production. */
import type { Client } from '@keelson/client';
import { admissionPoliciesOf, type Operator } from '@keelson/core';
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@keelson/core/admissionregistration/v1';

/** From then on, the API server applies them. */
export async function configurePolicies(client: Client, operator: Operator): Promise<void> {
  for (const { policy, binding } of admissionPoliciesOf(operator)) {
    await client.apply(ValidatingAdmissionPolicy, policy);
    await client.apply(ValidatingAdmissionPolicyBinding, binding);
  }
}
