/**
 * Admission policies as plain data: rules that the API server itself applies to requests, with no process to ask.
 *
 * For what the rules of a definition cannot see: who asks, what is done, deletions, the namespace, a parameter object,
 * what else the user may do, and kinds that are built in. From one follow a ValidatingAdmissionPolicy and its binding.
 */
import {
  type NewValidatingAdmissionPolicy,
  type NewValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from './generated/admissionregistration/v1.ts';
import type { Kind } from './kind.ts';
import type { LabelSelector } from './label-selector.ts';
import type { AdmissionOperation } from './webhook.ts';

/** What must hold for a request, in CEL. */
export interface PolicyValidation {
  /** Sees `object`, `oldObject`, `request`, `namespaceObject`, `authorizer`, and `params` and `variables` where there are some. */
  readonly expression: string;
  /** What a refused user reads. @default that the expression failed */
  readonly message?: string | undefined;
  /** Computes that text; it sees the same, but for the authoriser. */
  readonly messageExpression?: string | undefined;
  /** The reason of the refusal. @default Invalid */
  readonly reason?: 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | undefined;
}

/** Where a policy finds the objects that those who run the cluster set its limits by: by name, or by labels. */
export type PolicyParameters = {
  /** Of which kind they are. */
  readonly kind: Kind;
  /** @default the namespace of the object that is judged */
  readonly namespace?: string | undefined;
  /** What happens to a request when there is none. @default Deny */
  readonly notFound?: 'Allow' | 'Deny' | undefined;
} & ({ readonly name: string } | { readonly labels: Readonly<Record<string, string>> });

/** A policy of an operator. */
export interface AdmissionPolicyDeclaration {
  /** In what a refused user reads, behind the operator's. A DNS label. */
  readonly name: string;
  /** Objects of which kind it judges. */
  readonly for: Kind;
  /** Which requests it judges. @default CREATE and UPDATE */
  readonly operations?: readonly AdmissionOperation[] | undefined;
  /** All must hold. */
  readonly validations: readonly PolicyValidation[];
  /** Named expressions, which the others use as `variables.name`; each may use those before it. @default none */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** @default none */
  readonly params?: PolicyParameters | undefined;
  /** Only in namespaces with these labels. @default any */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Only objects with these labels, before or after the change. @default any */
  readonly objectSelector?: LabelSelector | undefined;
  /** Only if all of these CEL expressions hold. @default always */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  /** What happens to a request when an expression cannot be computed. @default Fail */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** What happens when one does not hold. @default Deny */
  readonly validationActions?: readonly ('Audit' | 'Deny' | 'Warn')[] | undefined;
}

/** A policy and what puts it into force. */
export interface PolicyObjects {
  readonly policy: NewValidatingAdmissionPolicy;
  readonly binding: NewValidatingAdmissionPolicyBinding;
}

/** The objects of an operator's policies, each named after the operator and the policy. */
export function admissionPoliciesOf(operator: {
  readonly name: string;
  readonly policies?: readonly AdmissionPolicyDeclaration[] | undefined;
}): readonly PolicyObjects[] {
  return (operator.policies ?? []).map((each) => {
    const metadata = { name: `${operator.name}-${each.name}` };
    return { policy: policyOf(each, metadata), binding: bindingOf(each, metadata) };
  });
}

const typeOf = <K extends string>({ kind }: { readonly kind: K }) =>
  ({ apiVersion: 'admissionregistration.k8s.io/v1', kind }) as const;

function policyOf(declaration: AdmissionPolicyDeclaration, metadata: { readonly name: string }) {
  const { for: kind, operations = ['CREATE', 'UPDATE'], validations, variables = {}, params } = declaration;
  const { namespaceSelector, objectSelector, matchConditions, failurePolicy } = declaration;
  const { group, version, resource } = kind;
  const rule = { apiGroups: [group], apiVersions: [version], operations: [...operations], resources: [resource] };
  return {
    ...typeOf(ValidatingAdmissionPolicy),
    metadata,
    spec: {
      ...(failurePolicy && { failurePolicy }),
      matchConstraints: {
        resourceRules: [rule],
        ...(namespaceSelector && { namespaceSelector }),
        ...(objectSelector && { objectSelector }),
      },
      ...(matchConditions && { matchConditions: [...matchConditions] }),
      ...(params && { paramKind: { apiVersion: apiVersionOf(params.kind), kind: params.kind.kind } }),
      ...(Object.keys(variables).length > 0 && {
        variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
      }),
      validations: [...validations],
    },
  };
}

function bindingOf(declaration: AdmissionPolicyDeclaration, metadata: { readonly name: string }) {
  const { params, validationActions = ['Deny'] } = declaration;
  return {
    ...typeOf(ValidatingAdmissionPolicyBinding),
    metadata,
    spec: {
      policyName: metadata.name,
      ...(params && { paramRef: paramRefOf(params) }),
      validationActions: [...validationActions],
    },
  };
}

function paramRefOf({ namespace, notFound = 'Deny', ...found }: PolicyParameters) {
  return {
    ...('name' in found ? { name: found.name } : { selector: { matchLabels: found.labels } }),
    ...(namespace !== undefined && { namespace }),
    parameterNotFoundAction: notFound,
  };
}

const apiVersionOf = ({ group, version }: Kind): string => (group === '' ? version : `${group}/${version}`);
