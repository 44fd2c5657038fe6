/** What policies look at beside the write, and how they see it. */
import type { AdmissionInput } from '@keelson/schema/admission';
import type { Authoriser } from '../../authorise/authoriser.ts';
import type { ApiObject } from '../../object.ts';
import type { Store } from '../../store/store.ts';
import { admissionRequest } from '../admission-request.ts';
import type { Attributes } from '../attributes.ts';
import type { Match, MatchContext } from '../match.ts';
import { authorizerOf, evaluateMatchConditions, type MatchConditions } from '../match-conditions.ts';
import { versioned } from '../versioned.ts';

export interface PolicyContext extends MatchContext {
  readonly store: Store;
  readonly authoriser: Pick<Authoriser, 'decide'>;
}

/** What the expressions of a policy see. */
export async function inputOf(
  context: PolicyContext,
  attributes: Attributes,
  match: Match,
  params: ApiObject | undefined,
): Promise<AdmissionInput> {
  const { object, old } = await versioned(attributes, match);
  return {
    object,
    oldObject: old,
    request: { uid: '', object: null, oldObject: null, ...admissionRequest(attributes, match) },
    namespaceObject: namespaceValue(context, attributes),
    params,
    authorizer: authorizerOf(context.authoriser, attributes),
  };
}

/** A Namespace is in none. */
function namespaceValue({ objects }: MatchContext, { resource, namespace }: Attributes): unknown {
  if (namespace === '' || resource.collection === 'namespaces') return undefined;
  const found = objects.find('namespaces', namespace);
  if (found === undefined) return undefined;
  const { managedFields: _, ownerReferences: __, ...metadata } = found.metadata;
  return { metadata, spec: found.spec, status: found.status };
}

/** Whether a policy's conditions hold, or what is wrong with them; they know no namespace. */
export function meetsConditions(
  conditions: MatchConditions,
  input: AdmissionInput,
  ignoresFailures: boolean,
): boolean | { readonly error: string } {
  const result = evaluateMatchConditions(conditions, { ...input, namespaceObject: undefined });
  if (typeof result === 'boolean') return result;
  const errors = [...new Set(result.errors)];
  return ignoresFailures ? false : { error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}

/** What a refusal calls an object that may have no name yet. */
export function shownName({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
