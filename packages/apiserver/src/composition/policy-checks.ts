/**
 * Types of the expressions of ValidatingAdmissionPolicies, checked against the schemas of the kinds that they match: what
 * does not fit is told in `status.typeChecking`, and has no other effect.
 *
 * In Kubernetes a controller does this, a moment later. Here it works inside the write that it reacts to, like the
 * definitions of custom resources, since only the server has the schemas.
 */

import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
} from '@keelson/core/admissionregistration/v1';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { AdmissionCompiler, objectDeclaration } from '@keelson/schema/admission';
import { type ApiObject, put, readAs } from '../object.ts';
import { resolvedSchema } from '../openapi/resolved-schema.ts';
import { apiVersionOf, type Resource } from '../resource/resource.ts';
import type { Context } from '../verbs/context.ts';
import { updateOwnStatus } from '../write/own-status-update.ts';

const name = 'validatingadmissionpolicies.admissionregistration.k8s.io';

/** Of one policy no more are looked at. */
const maxTypes = 10;

export function runPolicyChecks(context: Context): void {
  const policies = context.store.collection(name);
  context.store.listen((collection, { type, revision }) => {
    if (collection === policies && type !== 'DELETED') check(context, revision.object);
  });
}

function check(context: Context, object: ApiObject): void {
  const { metadata, spec = {}, status } = readAs<ValidatingAdmissionPolicy>(object);
  if (status?.observedGeneration === metadata.generation) return;
  const resource = context.registry.all().find(({ collection }) => collection === name);
  if (resource === undefined) return;
  const warnings = warningsOf(context, spec);
  const checked = {
    observedGeneration: metadata.generation,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
  };
  updateOwnStatus(context, resource, '', metadata.name ?? '', (old) =>
    put(old, ['status'], { ...(old.status as object | undefined), ...checked }),
  );
}

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

function warningsOf({ registry }: Context, spec: Spec): readonly ExpressionWarning[] {
  const { paramKind, variables = [], validations = [] } = spec;
  const all = registry.all();
  const params = all.find((each) => each.kind === paramKind?.kind && apiVersionOf(each) === paramKind?.apiVersion);
  const declared = { params: paramKind !== undefined, authorizer: true };
  const compilers = typesOf(all, spec).map((resource) => {
    const known = { object: declaration(resource, 'object'), params: params && declaration(params, 'params') };
    const compiler = new AdmissionCompiler({ variables: true, known });
    for (const each of variables) compiler.addVariable(each.name, each.expression, declared);
    return { compiler, kind: `${resource.group}/${resource.version}, Kind=${resource.kind}` };
  });
  const warning = (fieldRef: string, expression: string): readonly ExpressionWarning[] => {
    const found = compilers.flatMap(({ compiler, kind }) => {
      const checked = compiler.check(expression, declared);
      return 'issues' in checked ? [`${kind}: ${checked.issues}\n`] : [];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return validations.flatMap(({ expression, messageExpression }, index) => [
    ...warning(`spec.validations[${index}].expression`, expression),
    ...(messageExpression ? warning(`spec.validations[${index}].messageExpression`, messageExpression) : []),
  ]);
}

const declaration = (resource: Resource, variable: string) =>
  objectDeclaration(resolvedSchema(resource) as JSONSchemaProps | undefined, `${variable}.${resource.kind}`);

/** The kinds that the rules name, without those that stars stand for, in order. */
function typesOf(all: readonly Resource[], { matchConstraints }: Spec): readonly Resource[] {
  const found = new Set<Resource>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    for (const resource of named(all, rule)) if (found.size < maxTypes) found.add(resource);
  }
  const key = ({ group, version, kind }: Resource) => `${group} ${version} ${kind}`;
  return [...found].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function named(
  all: readonly Resource[],
  { apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations,
): readonly Resource[] {
  if ([...apiGroups, ...apiVersions].includes('*')) return [];
  return all.filter(
    ({ group, version, resource }) =>
      apiGroups.includes(group) && apiVersions.includes(version) && resources.includes(resource),
  );
}
