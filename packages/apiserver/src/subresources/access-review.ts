/** Access reviews: who may do what. The questions, what must be in them, and their answers. */
import { fieldsInOrder, invalidValue, type Problem } from '@keelson/schema/validation';
import type { Attributes } from '../authorise/attributes.ts';
import { type ApiObject, type JsonObject, without } from '../object.ts';
import type { User } from '../request/user.ts';
import { invalid } from '../status.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { ignoredSelectors, selectorAttributeProblems } from './selector-attributes.ts';

interface Spec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: JsonObject;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

const specOf = ({ spec }: ApiObject): Spec => (spec ?? {}) as Spec;

export function selfAccess(context: Context, { user }: Call, question: ApiObject): JsonObject {
  const spec = specOf(question);
  assertNone([...attributeProblems(spec), ...selectorProblems(spec), ...metadataProblems(question)]);
  return access(context, user, spec);
}

export function subjectAccess(context: Context, _: Call, question: ApiObject): JsonObject {
  const spec = specOf(question);
  assertNone([...subjectSpecProblems(spec), ...metadataProblems(question)]);
  return access(context, subjectOf(spec), spec);
}

export function localAccess(context: Context, { namespace }: Call, question: ApiObject): JsonObject {
  const spec = specOf(question);
  const { resourceAttributes, nonResourceAttributes } = spec;
  const other = resourceAttributes?.namespace ?? '';
  assertNone([
    ...subjectSpecProblems(spec),
    ...metadataProblems(question, 'namespace'),
    ...(resourceAttributes === undefined || other === namespace
      ? []
      : [invalidValue('spec.resourceAttributes.namespace', other, 'must match metadata.namespace')]),
    ...(nonResourceAttributes === undefined
      ? []
      : [invalidValue(pathField, shownPath(nonResourceAttributes), 'disallowed on this kind of request')]),
  ]);
  return access(context, subjectOf(spec), spec);
}

const pathField = 'spec.nonResourceAttributes';

/** As the Go struct prints itself. */
const shownPath = ({ path = '', verb = '' }: NonNullable<Spec['nonResourceAttributes']>): JsonObject => ({
  Path: path,
  Verb: verb,
});

/** These refusals leave the kind out. */
function assertNone(causes: readonly Problem[]): void {
  if (causes.length > 0) throw invalid({ group: 'authorization.k8s.io', name: '' }, '', causes);
}

function attributeProblems({ resourceAttributes, nonResourceAttributes }: Spec): readonly Problem[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalidValue(pathField, shownPath(nonResourceAttributes), why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, why)];
}

const selectorProblems = ({ resourceAttributes = {} }: Spec): readonly Problem[] =>
  selectorAttributeProblems(resourceAttributes, 'spec.resourceAttributes');

function subjectSpecProblems(spec: Spec): readonly Problem[] {
  const isNobody = !spec.user && (spec.groups ?? []).length === 0;
  return [
    ...attributeProblems(spec),
    ...(isNobody ? [invalidValue('spec.user', '', 'at least one of user or group must be specified')] : []),
    ...selectorProblems(spec),
  ];
}

function metadataProblems({ metadata }: ApiObject, ...allowed: readonly string[]): readonly Problem[] {
  const others = without(metadata, 'managedFields', ...allowed);
  if (Object.keys(others).length === 0) return [];
  const except = allowed.length > 0 ? ` except for ${allowed.join(', ')}` : '';
  return [invalidValue('metadata', fieldsInOrder(metadata), `must be empty${except}`)];
}

const subjectOf = ({ user = '', groups = [], uid, extra }: Spec): User => ({ name: user, groups, uid, extra });

/** What the step `authorise` would decide. */
function access({ authoriser }: Context, user: User, { resourceAttributes, nonResourceAttributes }: Spec): JsonObject {
  const text = (name: string): string => String(resourceAttributes?.[name] ?? '');
  const wanted: Attributes =
    nonResourceAttributes === undefined
      ? {
          type: 'resource',
          verb: text('verb'),
          group: text('group'),
          resource: text('resource'),
          subresource: text('subresource'),
          namespace: text('namespace'),
          name: text('name'),
        }
      : { type: 'other', verb: nonResourceAttributes.verb ?? '', path: nonResourceAttributes.path ?? '' };
  const { allowed, reason } = authoriser.decide(user, wanted);
  const ignored = ignoredSelectors(resourceAttributes ?? {}, 'spec.resourceAttributes');
  return { allowed, ...(reason !== '' && { reason }), ...(ignored !== '' && { evaluationError: ignored }) };
}
