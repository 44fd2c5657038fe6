/** What is wrong with an admission policy or a binding is refused, in the server's words. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { bindingPath, dryRun, type PolicyType, policyPath } from '../policies.ts';
import { causeOf, invalid } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const constraints = { matchConstraints: { resourceRules: [rule] } };
const validating = { ...constraints, validations: [{ expression: 'true' }] };
const apply = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };
const mutating = { ...constraints, reinvocationPolicy: 'Never', mutations: [apply] };

const refuses = async (t: Trial, path: string, kind: string, table: readonly (readonly [Fields, ...string[]])[]) => {
  for (const [spec, ...causes] of table) {
    const body = { metadata: { name: 'a.policy' }, spec };
    const refusal = invalid(`${kind}.admissionregistration.k8s.io`, 'a.policy', ...causes.map(causeOf));
    (await t.post(path, body, dryRun)).refuses(refusal);
  }
};

const policies = (type: PolicyType, table: readonly (readonly [Fields, ...string[]])[]) => (t: Trial) =>
  refuses(t, policyPath(type), `${type}AdmissionPolicy`, table);
const bindings = (type: PolicyType, table: readonly (readonly [Fields, ...string[]])[]) => (t: Trial) =>
  refuses(t, bindingPath(type), `${type}AdmissionPolicyBinding`, table);

const shown = (issue: string, text: string, at: number) =>
  `ERROR: <input>:1:${at}: ${issue}\n | ${text}\n | ${'.'.repeat(at - 1)}^`;
const undeclared = (name: string) => `undeclared reference to '${name}' (in container '')`;
const none = 'validations or auditAnnotations must contain at least one item';

export const policyValidation: Area = {
  name: 'policy validation',
  proves: ['A2', 'A3'],
  cases: {
    'a policy needs constraints, validations and choices that exist': policies('Validating', [
      [
        {},
        'spec.matchConstraints: Required value',
        `spec.validations: Required value: ${none}`,
        `spec.auditAnnotations: Required value: ${none}`,
      ],
      [
        { ...validating, failurePolicy: 'Sometimes', matchConstraints: { matchPolicy: 'Roughly' } },
        'spec.failurePolicy: Unsupported value: "Sometimes": supported values: "Fail", "Ignore"',
        'spec.matchConstraints.matchPolicy: Unsupported value: "Roughly": supported values: "Equivalent", "Exact"',
        'spec.matchConstraints.resourceRules: Required value',
      ],
    ]),

    'rules name what they are about': policies('Validating', [
      [
        { ...validating, matchConstraints: { resourceRules: [{ resourceNames: ['a', 'a/b', 'a'] }] } },
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Invalid value: "a/b": may not contain \'/\'',
        'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "a"',
        'spec.matchConstraints.resourceRules[0].operations: Required value',
        'spec.matchConstraints.resourceRules[0].apiGroups: Required value',
        'spec.matchConstraints.resourceRules[0].apiVersions: Required value',
        'spec.matchConstraints.resourceRules[0].resources: Required value',
      ],
      [
        {
          ...validating,
          matchConstraints: {
            resourceRules: [{ ...rule, operations: ['READ'], scope: 'None' }],
            excludeResourceRules: [{ ...rule, apiGroups: ['*', 'apps'] }],
            objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
          },
        },
        'spec.matchConstraints.objectSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        'spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        'spec.matchConstraints.resourceRules[0].scope: Unsupported value: "None": supported values: "*", "Cluster", "Namespaced"',
        'spec.matchConstraints.excludeResourceRules[0].apiGroups: Invalid value: ["*","apps"]: if \'*\' is present, must not specify other API groups',
      ],
    ]),

    'a kind of parameters is a kind': policies('Validating', [
      [
        { ...validating, paramKind: {} },
        'spec.paramKind.apiVersion: Required value',
        'spec.paramKind.kind: Required value',
      ],
      [
        { ...validating, paramKind: { apiVersion: 'a/b/c', kind: 'A B' } },
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `spec.paramKind.kind: Invalid value: "A B": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
      [
        { ...validating, paramKind: { apiVersion: 'x.example.com/', kind: 'A' } },
        'spec.paramKind.apiVersion: Invalid value: "x.example.com/": version must be specified',
      ],
    ]),

    'expressions are compiled': policies('Validating', [
      [
        {
          ...constraints,
          validations: [
            { expression: ' ' },
            { expression: 'object.a', messageExpression: '1', message: ' ' },
            { expression: 'self', messageExpression: ' ', message: 'a\nb', reason: 'Unauthorized' },
            { expression: 'params == null', messageExpression: 'authorizer.path("/").check("get").reason()' },
            { expression: 'variables.a' },
          ],
        },
        'spec.validations[0].expression: Required value: expression is not specified',
        'spec.validations[1].expression: Invalid value: "object.a": must evaluate to bool but got dyn',
        'spec.validations[1].messageExpression: Invalid value: "1": must evaluate to string but got int',
        'spec.validations[1].message: Invalid value: " ": must be non-empty if specified',
        `spec.validations[2].expression: Invalid value: "self": compilation failed: ${shown(undeclared('self'), 'self', 1)}`,
        'spec.validations[2].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[2].message: Invalid value: "a\\nb": must not contain line breaks',
        'spec.validations[2].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
        `spec.validations[3].expression: Invalid value: "params == null": compilation failed: ${shown(undeclared('params'), 'params == null', 1)}`,
        `spec.validations[3].messageExpression: Invalid value: "authorizer.path(\\"/\\").check(\\"get\\").reason()": compilation failed: ${shown(undeclared('authorizer'), 'authorizer.path("/").check("get").reason()', 1)}`,
        `spec.validations[4].expression: Invalid value: "variables.a": compilation failed: ${shown(undeclared('variables'), 'variables.a', 1)}`,
      ],
      [
        {
          ...constraints,
          variables: [
            { name: 'a', expression: '1' },
            { name: 'in', expression: 'variables.b' },
            { name: ' ', expression: ' ' },
          ],
          validations: [{ expression: 'variables.a' }, { expression: 'variables.none' }],
        },
        'spec.variables[1].name: Invalid value: "in": must be a valid CEL identifier',
        `spec.variables[1].expression: Invalid value: "variables.b": compilation failed: ${shown("undefined field 'b'", 'variables.b', 10)}`,
        'spec.variables[2].name: Required value: name is not specified',
        'spec.variables[2].expression: Required value: expression is not specified',
        'spec.validations[0].expression: Invalid value: "variables.a": must evaluate to bool but got int',
        `spec.validations[1].expression: Invalid value: "variables.none": compilation failed: ${shown("undefined field 'none'", 'variables.none', 10)}`,
      ],
      [
        {
          ...validating,
          matchConditions: [
            { name: 'a', expression: 'params == null' },
            { name: 'a', expression: '' },
            { expression: '1' },
          ],
        },
        `spec.matchConditions[0].expression: Invalid value: "params == null": compilation failed: ${shown(undeclared('params'), 'params == null', 1)}`,
        'spec.matchConditions[1].expression: Required value',
        'spec.matchConditions[1].name: Duplicate value: "a"',
        'spec.matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int',
        'spec.matchConditions[2].name: Required value',
      ],
      [
        {
          ...constraints,
          auditAnnotations: [
            { key: 'a', valueExpression: 'object.a' },
            { key: 'a', valueExpression: ' ' },
            { key: 'b', valueExpression: `'${'x'.repeat(5200)}'` },
          ],
        },
        'spec.auditAnnotations[0].valueExpression: Invalid value: "object.a": must evaluate to one of [string null_type] but got dyn',
        'spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].key: Duplicate value: "a"',
        'spec.auditAnnotations[2].valueExpression: Required value: must not exceed 5120 bytes in length',
      ],
    ]),

    'a mutating policy needs mutations, and cannot change deletions': policies('Mutating', [
      [
        {},
        'spec.matchConstraints: Required value',
        'spec.mutations: Required value: mutations must contain at least one item',
        'spec.reinvocationPolicy: Required value',
      ],
      [
        {
          ...mutating,
          reinvocationPolicy: 'Often',
          matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] },
        },
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
        'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
      ],
    ]),

    'mutations are one of two types, and compiled': policies('Mutating', [
      [
        {
          ...mutating,
          mutations: [
            {},
            { patchType: 'Merge' },
            { patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } },
            { patchType: 'ApplyConfiguration', applyConfiguration: {}, jsonPatch: { expression: '[]' } },
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object.spec{}' } },
            { patchType: 'JSONPatch', jsonPatch: { expression: 'JSONPatch{}' } },
            { patchType: 'JSONPatch', jsonPatch: { expression: ' [JSONPatch{op: 1}]' } },
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Pod{}' } },
          ],
        },
        'spec.mutations[0].patchType: Required value',
        'spec.mutations[1].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
        'spec.mutations[2].jsonPatch: Required value: must be specified when patchType is JSONPatch',
        'spec.mutations[2].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
        'spec.mutations[3].applyConfiguration.expression: Required value',
        'spec.mutations[3].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
        'spec.mutations[4].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec',
        'spec.mutations[5].jsonPatch.expression: Invalid value: "JSONPatch{}": must evaluate to list(JSONPatch) but got JSONPatch',
        `spec.mutations[6].jsonPatch.expression: Invalid value: "[JSONPatch{op: 1}]": compilation failed: ${shown("expected type of field 'op' is 'string' but provided type is 'int'", '[JSONPatch{op: 1}]', 14)}`,
        `spec.mutations[7].applyConfiguration.expression: Invalid value: "Pod{}": compilation failed: ${shown(undeclared('Pod'), 'Pod{}', 4)}`,
      ],
    ]),

    'a binding names a policy, parameters in one way, and actions': bindings('Validating', [
      [
        {},
        'spec.policyName: Required value',
        'spec.validationActions: Required value: at least one validation action is required',
      ],
      [
        { policyName: 'a', validationActions: ['Deny', 'Warn', 'Deny', 'Log'], paramRef: {} },
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
        'spec.validationActions[2]: Duplicate value: "Deny"',
        'spec.validationActions[3]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Log"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
      [
        {
          policyName: 'a',
          validationActions: ['Audit'],
          paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Ask' },
        },
        'spec.paramRef.name: Invalid value: "a/b": may not contain \'/\'',
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Ask": supported values: "Deny", "Allow"',
      ],
    ]),

    'a binding of a mutating policy has no actions': bindings('Mutating', [
      [
        { matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
        'spec.policyName: Required value',
        'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ]),
  },
};
