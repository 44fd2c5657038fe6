/** What is wrong with an admission policy, in the words of the server. */
import type {
  AuditAnnotation,
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
  ParamKind,
  ValidatingAdmissionPolicy,
  Validation,
  Variable,
} from '@keelson/core/admissionregistration/v1';
import {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionProblem,
  type Declared,
} from '@keelson/schema/admission';
import {
  duplicateValue,
  fieldsInOrder,
  internalError,
  invalidValue,
  label1035Problems,
  type Problem,
  qualifiedNameProblems,
  required,
  subdomainProblems,
} from '@keelson/schema/validation';
import type { MatchCondition } from '../../../admit/match-conditions.ts';
import { type ApiObject, readAs } from '../../../object.ts';
import { chosen, matchProblems, mutableOperations, operationProblems } from './admission-match-problems.ts';
import { matchConditionProblems } from './admission-rule-problems.ts';

type Compiled = AdmissionExpression | AdmissionProblem;

const expressionProblem = (field: string, shown: string, compiled: Compiled): readonly Problem[] => {
  if (!('problem' in compiled)) return [];
  return [
    compiled.type === 'internal'
      ? internalError(field, compiled.problem)
      : invalidValue(field, shown, compiled.problem),
  ];
};

/** What both kinds of policy have. */
interface CommonSpec {
  readonly failurePolicy?: string | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly variables?: readonly Variable[] | undefined;
}

/** `mutable` are the operations that a mutating policy can be about. */
function commonProblems(spec: CommonSpec, mutable?: readonly string[]): readonly Problem[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [] } = spec;
  const constraints = 'spec.matchConstraints';
  return [
    ...chosen('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']),
    ...(paramKind === undefined ? [] : paramKindProblems(paramKind)),
    ...(matchConstraints === undefined
      ? [required(constraints)]
      : [
          ...matchProblems(matchConstraints, constraints),
          ...((matchConstraints.resourceRules ?? []).length === 0 ? [required(`${constraints}.resourceRules`)] : []),
          ...operationProblems(matchConstraints, constraints, mutable),
        ]),
    ...matchConditionProblems(matchConditions, 'spec.matchConditions', paramKind !== undefined),
  ];
}

function paramKindProblems({ apiVersion = '', kind = '' }: ParamKind): readonly Problem[] {
  const at = 'spec.paramKind.apiVersion';
  const kindProblems = label1035Problems(kind.toLowerCase());
  return [
    ...(apiVersion === '' ? [required(at)] : apiVersionProblems(apiVersion, at)),
    ...(kind === ''
      ? [required('spec.paramKind.kind')]
      : kindProblems.length === 0
        ? []
        : [
            invalidValue(
              'spec.paramKind.kind',
              kind,
              `may have mixed case, but should otherwise match: ${kindProblems.join(',')}`,
            ),
          ]),
  ];
}

function apiVersionProblems(apiVersion: string, at: string): readonly Problem[] {
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? parts : ['', parts[0]];
  const wrong = (value = '', problems: readonly string[] = []) =>
    problems.length === 0 ? [] : [invalidValue(at, value, problems.join(','))];
  return [
    ...(group ? wrong(group, subdomainProblems(group)) : []),
    ...(version
      ? wrong(version, label1035Problems(version))
      : [invalidValue(at, apiVersion, 'version must be specified')]),
  ];
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function variableProblems(
  compiler: AdmissionCompiler,
  variables: readonly Variable[],
  declared: Declared,
): readonly Problem[] {
  return variables.flatMap(({ name = '', expression = '' }, index) => {
    const at = `spec.variables[${index}]`;
    const isName = /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
    return [
      ...(name.trim() === ''
        ? [required(`${at}.name`, 'name is not specified')]
        : isName
          ? []
          : [invalidValue(`${at}.name`, name, 'must be a valid CEL identifier')]),
      ...(expression.trim() === ''
        ? [required(`${at}.expression`, 'expression is not specified')]
        : expressionProblem(`${at}.expression`, expression, compiler.addVariable(name, expression, declared))),
    ];
  });
}

export function validatingPolicyProblems(object: ApiObject): readonly Problem[] {
  const { metadata, spec = {} } = readAs<ValidatingAdmissionPolicy>(object);
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const declared = { params: paramKind !== undefined, authorizer: true };
  const compiler = new AdmissionCompiler({ variables: variables.length > 0 });
  const none = 'validations or auditAnnotations must contain at least one item';
  return [
    ...commonProblems(spec),
    ...variableProblems(compiler, variables, declared),
    ...(validations.length === 0 && auditAnnotations.length === 0
      ? [required('spec.validations', none), required('spec.auditAnnotations', none)]
      : []),
    ...validations.flatMap((each, index) => validationProblems(compiler, each, `spec.validations[${index}]`, declared)),
    ...auditProblems(compiler, auditAnnotations, metadata.name ?? '', declared),
  ];
}

const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

function validationProblems(
  compiler: AdmissionCompiler,
  { expression = '', message = '', messageExpression = '', reason }: Validation,
  at: string,
  declared: Declared,
): readonly Problem[] {
  const given = [['messageExpression', messageExpression] as const, ['message', message] as const];
  const [blankExpression, blankMessage] = given.map(([name, text]) =>
    text !== '' && text.trim() === '' ? [invalidValue(`${at}.${name}`, text, 'must be non-empty if specified')] : [],
  );
  return [
    ...(expression.trim() === ''
      ? [required(`${at}.expression`, 'expression is not specified')]
      : expressionProblem(`${at}.expression`, expression, compiler.compile(expression, declared, 'bool'))),
    ...(blankExpression ?? []),
    ...(messageExpression.trim() === ''
      ? []
      : expressionProblem(
          `${at}.messageExpression`,
          messageExpression,
          compiler.compile(messageExpression, { ...declared, authorizer: false }, 'string'),
        )),
    ...(blankMessage ?? []),
    ...(hasLineBreaks(message.trim()) ? [invalidValue(`${at}.message`, message, 'must not contain line breaks')] : []),
    ...(reason === undefined ? [] : chosen(`${at}.reason`, reason, ['Forbidden', 'Invalid', 'RequestEntityTooLarge'])),
  ];
}

const maxAuditAnnotations = 20;
const maxValueExpression = 5 * 1024;

function auditProblems(
  compiler: AdmissionCompiler,
  annotations: readonly AuditAnnotation[],
  policy: string,
  declared: Declared,
): readonly Problem[] {
  const field = 'spec.auditAnnotations';
  const tooMany = `must not have more than ${maxAuditAnnotations} auditAnnotations`;
  return [
    ...(annotations.length > maxAuditAnnotations ? [invalidValue(field, fieldsInOrder(annotations), tooMany)] : []),
    ...annotations.flatMap(({ key = '', valueExpression = '' }, index) => {
      const at = `${field}[${index}]`;
      const value = valueExpression.trim();
      return [
        ...qualifiedNameProblems(`${policy}/${key}`).map((why) => invalidValue(`${at}.key`, `${policy}/${key}`, why)),
        ...(value === ''
          ? [required(`${at}.valueExpression`, 'valueExpression is not specified')]
          : Buffer.byteLength(value) > maxValueExpression
            ? [required(`${at}.valueExpression`, `must not exceed ${maxValueExpression} bytes in length`)]
            : expressionProblem(
                `${at}.valueExpression`,
                valueExpression,
                compiler.compile(value, declared, 'string or null'),
              )),
        ...(annotations.findIndex((each) => each.key === key) < index ? [duplicateValue(`${at}.key`, key)] : []),
      ];
    }),
  ];
}

export function mutatingPolicyProblems(object: ApiObject): readonly Problem[] {
  const { spec = {} } = readAs<MutatingAdmissionPolicy>(object);
  const { paramKind, variables = [], mutations = [], reinvocationPolicy } = spec;
  const declared = { params: paramKind !== undefined, authorizer: true };
  const compiler = new AdmissionCompiler({ variables: true });
  return [
    ...commonProblems(spec, mutableOperations),
    ...variableProblems(compiler, variables, declared),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((each, index) => mutationProblems(compiler, each, `spec.mutations[${index}]`, declared)),
    ...chosen('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never']),
  ];
}

function mutationProblems(
  compiler: AdmissionCompiler,
  { patchType, jsonPatch, applyConfiguration }: Mutation,
  at: string,
  declared: Declared,
): readonly Problem[] {
  const problems = chosen(`${at}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch']);
  if (problems.length > 0) return problems;
  const isPatch = patchType === 'JSONPatch';
  const [own, other] = isPatch ? [jsonPatch, applyConfiguration] : [applyConfiguration, jsonPatch];
  const [name, otherName] = isPatch ? ['jsonPatch', 'applyConfiguration'] : ['applyConfiguration', 'jsonPatch'];
  const expression = own?.expression?.trim() ?? '';
  const wanted = isPatch ? 'list(JSONPatch)' : 'Object';
  return [
    ...(own === undefined
      ? [required(`${at}.${name}`, `must be specified when patchType is ${patchType}`)]
      : expression === ''
        ? [required(`${at}.${name}.expression`)]
        : expressionProblem(
            `${at}.${name}.expression`,
            expression,
            compiler.compile(expression, { ...declared, patches: true }, wanted),
          )),
    ...(other === undefined
      ? []
      : [invalidValue(`${at}.${otherName}`, `{${otherName}}`, `must not be specified when patchType is ${patchType}`)]),
  ];
}
