import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionCompiler, type Wanted } from './admission-compiler.ts';
import { type AdmissionInput, AdmissionRun, OutOfBudget, policyBudget } from './admission-run.ts';
import { jsonOf } from './dynamic-value.ts';
import { typeNameProblems } from './patch-types.ts';

const input: AdmissionInput = {
  object: {
    metadata: { name: 'a', labels: { app: 'web' } },
    spec: { replicas: 3, ratio: 0.5, list: [1, 2], none: null },
  },
  oldObject: null,
  request: { operation: 'CREATE', userInfo: { username: 'jane' }, dryRun: false },
  namespaceObject: { metadata: { name: 'default' } },
  params: { data: { max: '5' } },
  authorizer: {
    authorize: (question) => ({
      allowed: question.type === 'resource' && question.serviceAccount === undefined,
      reason: JSON.stringify(question),
      error: '',
    }),
    requestResource: { group: 'apps', resource: 'deployments', subresource: '', namespace: 'default', name: 'a' },
  },
};

const declared = { params: true, authorizer: true, patches: true };

function outcome(text: string, wanted: Wanted = 'anything', variables: Readonly<Record<string, string>> = {}): unknown {
  const compiler = new AdmissionCompiler({ variables: true });
  for (const [name, each] of Object.entries(variables)) compiler.addVariable(name, each, declared);
  const compiled = compiler.compile(text, declared, wanted);
  if ('problem' in compiled) return compiled.problem;
  const result = new AdmissionRun(compiler.variables, input, policyBudget).evaluate(compiled);
  return 'error' in result ? result.error : jsonOf(result.value);
}

const results: readonly (readonly [text: string, result: unknown])[] = [
  ['object.spec.replicas > 2 && oldObject == null', true],
  ['object.spec.ratio + 1.5', 2],
  ['has(object.spec.none) && object.spec.none == null', true],
  ['object.spec.list.map(i, i * 2)', [2, 4]],
  ["object.metadata.?labels['tier'].orValue('none')", 'none'],
  ['object.spec.missing == 1', "expression 'object.spec.missing == 1' resulted in error: no such key: missing"],
  ["request.userInfo.username == 'jane' && !request.dryRun", true],
  ['namespaceObject.metadata.name', 'default'],
  ["int(params.data['max'])", 5],
  ["authorizer.group('').resource('pods').namespace('a').name('b').check('get').allowed()", true],
  ["authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').allowed()", false],
  ["authorizer.path('/healthz').check('get').allowed()", false],
  [
    "authorizer.requestResource.check('patch').reason()",
    '{"type":"resource","verb":"patch","group":"apps","resource":"deployments","subresource":"","namespace":"default","name":"a"}',
  ],
  [
    'Object{spec: Object.spec{replicas: 1 + 2, list: [Object.spec.list{a: true}]}}',
    { spec: { replicas: 3, list: [{ a: true }] } },
  ],
  ['Object{spec: Object.spec{replicas: 3}} == Object{spec: Object.spec{replicas: 3}}', true],
  [
    'Object{a: 1} == Object.b{a: 1}',
    "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(Object, Object.b)'\n | Object{a: 1} == Object.b{a: 1}\n | .............^",
  ],
  [
    "JSONPatch{op: 'add', path: '/spec/' + jsonpatch.escapeKey('a/b~c'), value: {'x': 1}}",
    { op: 'add', path: '/spec/a~1b~0c', value: { x: 1 } },
  ],
  [
    'JSONPatch{op: 1}',
    "compilation failed: ERROR: <input>:1:13: expected type of field 'op' is 'string' but provided type is 'int'\n | JSONPatch{op: 1}\n | ............^",
  ],
  [
    'Other{}',
    "compilation failed: ERROR: <input>:1:6: undeclared reference to 'Other' (in container '')\n | Other{}\n | .....^",
  ],
];

for (const [text, result] of results)
  test(`${text} gives ${JSON.stringify(result)}`, () => assert.deepEqual(outcome(text), result));

test('what an expression must give is held to', () => {
  assert.equal(outcome('object.spec', 'bool'), 'must evaluate to bool but got dyn');
  assert.equal(outcome('1', 'string or null'), 'must evaluate to one of [string null_type] but got int');
  assert.equal(
    outcome("[timestamp('2020-01-01T00:00:00Z')]", 'bool'),
    'must evaluate to bool but got list(google.protobuf.Timestamp)',
  );
  assert.deepEqual(outcome("[JSONPatch{op: 'remove', path: '/a'}]", 'list(JSONPatch)'), [{ op: 'remove', path: '/a' }]);
});

test('variables use those before them, are typed, and fail where they are used', () => {
  const variables = {
    replicas: 'object.spec.replicas',
    double: 'variables.replicas * 2',
    wrong: 'object.spec.missing',
  };
  assert.equal(outcome('variables.double', 'anything', variables), 6);
  assert.match(String(outcome('variables.none', 'anything', variables)), /undefined field 'none'/);
  assert.equal(
    outcome('variables.wrong == 1', 'anything', variables),
    `expression 'variables.wrong == 1' resulted in error: composited variable "wrong" fails to evaluate: no such key: missing`,
  );
});

test('without a declaration there is no params, no authoriser and no patch', () => {
  const compiler = new AdmissionCompiler({ variables: false });
  for (const [text, name] of [
    ['params == null', 'params'],
    ["authorizer.path('/').check('get').allowed()", 'authorizer'],
    ['Object{}', 'Object'],
    ['variables.a', 'variables'],
  ]) {
    const compiled = compiler.compile(String(text), { params: false, authorizer: false }, 'anything');
    assert.match('problem' in compiled ? compiled.problem : '', new RegExp(`undeclared reference to '${name}'`));
  }
});

test('one call and all calls together have a limit', () => {
  const compiler = new AdmissionCompiler({ variables: true });
  const check = "authorizer.group('').resource('pods').check('get').allowed()";
  const [one, two, three] = [1, 2, 3].map((times) =>
    compiler.compile(Array(times).fill(check).join(' && '), declared, 'bool'),
  );
  assert.ok(one && two && three);
  const run = new AdmissionRun(compiler.variables, input, 800_000);
  assert.deepEqual(run.evaluate(two), { value: true });
  assert.ok(run.left < 100_000);
  assert.throws(() => run.evaluate(one), OutOfBudget);
  const exceeded = new AdmissionRun(compiler.variables, input, policyBudget).evaluate(three);
  assert.match(
    'error' in exceeded ? exceeded.error : '',
    /resulted in error: operation cancelled: actual cost limit exceeded$/,
  );
});

test('types inside of an Object are called by their fields', () => {
  const compiler = new AdmissionCompiler({ variables: true });
  const compiled = compiler.compile('Object{spec: Object.wrong{a: [Object.b{}]}}', declared, 'Object');
  assert.ok(!('problem' in compiled));
  const result = new AdmissionRun(compiler.variables, input, policyBudget).evaluate(compiled);
  assert.ok('value' in result);
  assert.deepEqual(typeNameProblems(result.value), [
    'unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    'unexpected type name "Object.b", expected "Object.spec.a", which matches field name path from root Object type',
  ]);
});
