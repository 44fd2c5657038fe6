/** What is wrong with the binding of an admission policy, in the words of the server. */
import type {
  MatchResources,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '@keelson/core/admissionregistration/v1';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  type Problem,
  pathSegmentProblems,
  required,
  subdomainProblems,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, readAs } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { chosen, matchProblems, mutableOperations, operationProblems } from './admission-match-problems.ts';

interface CommonBinding {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | undefined;
  readonly matchResources?: MatchResources | undefined;
}

function bindingProblems({ policyName = '', paramRef, matchResources }: CommonBinding): readonly Problem[] {
  return [
    ...(policyName === ''
      ? [required('spec.policyName')]
      : subdomainProblems(policyName).map((why) => invalidValue('spec.policyName', policyName, why))),
    ...(paramRef === undefined ? [] : paramRefProblems(paramRef, 'spec.paramRef')),
    ...(matchResources === undefined ? [] : matchProblems(matchResources, 'spec.matchResources')),
  ];
}

function paramRefProblems({ name = '', selector, parameterNotFoundAction }: ParamRef, at: string): readonly Problem[] {
  const exclusive = (field: string) => forbiddenField(`${at}.${field}`, 'name and selector are mutually exclusive');
  return [
    ...(name === '' ? [] : pathSegmentProblems(name, false).map((why) => invalidValue(`${at}.name`, name, why))),
    ...(name !== '' && selector !== undefined ? [exclusive('name')] : []),
    ...selectorProblems(selector, `${at}.selector`),
    ...(name !== '' && selector !== undefined ? [exclusive('selector')] : []),
    ...(name === '' && selector === undefined ? [required(at, 'one of name or selector must be specified')] : []),
    ...chosen(`${at}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']),
  ];
}

const actions = ['Audit', 'Deny', 'Warn'];

export function validatingBindingProblems(object: ApiObject): readonly Problem[] {
  const { spec } = readAs<ValidatingAdmissionPolicyBinding>(object);
  const given = spec?.validationActions ?? [];
  const field = 'spec.validationActions';
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...bindingProblems(spec ?? {}),
    ...given.flatMap((action, index) => [
      ...(actions.includes(action) ? [] : [unsupportedValue(`${field}[${index}]`, action, actions)]),
      ...(given.indexOf(action) < index ? [duplicateValue(`${field}[${index}]`, action)] : []),
    ]),
    ...(given.includes('Deny') && given.includes('Warn') ? [invalidValue(field, given, both)] : []),
    ...(given.length === 0 ? [required(field, 'at least one validation action is required')] : []),
  ];
}

export function mutatingBindingProblems(object: ApiObject): readonly Problem[] {
  const { spec = {} } = readAs<MutatingAdmissionPolicyBinding>(object);
  const { matchResources } = spec;
  return [
    ...bindingProblems(spec),
    ...(matchResources === undefined
      ? []
      : operationProblems(matchResources, 'spec.matchResources', mutableOperations)),
  ];
}
