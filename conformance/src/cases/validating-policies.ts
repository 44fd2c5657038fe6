/** ValidatingAdmissionPolicies: what they see, what they say, and whom they concern. */
import type { Area } from '../case.ts';
import { widgets } from '../custom-resources.ts';
import type { Answer } from '../exchange.ts';
import { as, grant, rule as right } from '../identities.ts';
import { exactly } from '../match.ts';
import { configMap, deployment } from '../objects.ts';
import { configMaps, deployments, namespaces } from '../paths.ts';
import { bindingPath, denying, dryRun, policyPath, showing, warning } from '../policies.ts';
import type { Trial } from '../trial.ts';

const check = "authorizer.group('').resource('pods').check('get').allowed()";

/**
 * Not of a built-in kind: a real server stops looking at those for good with the first policy of that kind that is
 * deleted, and later ones see what was there then.
 */
async function parameters(t: Trial) {
  const kind = await widgets(t);
  return { kind, paramKind: { apiVersion: kind.apiVersion, kind: kind.kind } };
}

export const validatingPolicies: Area = {
  name: 'validating policies',
  proves: ['A2'],
  cases: {
    'what does not hold is refused by its expression': async (t) => {
      const policy = await denying(t, {
        validations: [{ expression: " object.data.a == 'c' " }, { expression: 'false' }],
      });
      await policy.refuses("failed expression: object.data.a == 'c'");
      (await policy.create({ a: 'c' })).refuses(policy.denial('failed expression: false'));
    },

    'a message, a reason and its code can be given': async (t) => {
      const spec = { validations: [{ expression: "object.data.a == 'c'", message: ' not so ', reason: 'Forbidden' }] };
      const policy = await denying(t, spec);
      await policy.refuses('not so', { code: 403, reason: 'Forbidden' });
      (await policy.create({ a: 'c' })).is(201);
      (await t.post(configMaps(policy.namespace), configMap('another'), dryRun)).is(201);
    },

    'a reason has its own code': async (t) => {
      const policy = await denying(t, { validations: [{ expression: 'false', reason: 'RequestEntityTooLarge' }] });
      await policy.refuses('failed expression: false', { code: 413, reason: 'RequestEntityTooLarge' });
    },

    'a binding may warn of all that does not hold': async (t) => {
      const policy = await warning(t, {
        validations: [
          { expression: 'false' },
          { expression: 'true' },
          { expression: 'false', message: 'fixed', messageExpression: "'computed for ' + object.metadata.name" },
          { expression: 'false', message: 'fixed', messageExpression: "'  '" },
          { expression: 'false', message: 'fixed', messageExpression: "'a\\nb'" },
          { expression: 'false', message: 'fixed', messageExpression: 'object.data.missing + "x"' },
          { expression: 'object.data.missing == "x"', message: 'fixed' },
          { expression: 'object.data.a > 1' },
          { expression: 'object.data.a.b == 1' },
          { expression: 'object.spec.x' + ' == 1' },
          { expression: '1 / int(object.data.zero) == 1' },
        ],
      });
      const failed = (expression: string, why: string) => `expression '${expression}' resulted in error: ${why}`;
      await policy.warns(
        [
          'failed expression: false',
          `computed for ${policy.name}`,
          'fixed',
          failed('object.data.missing == "x"', 'no such key: missing'),
          failed('object.data.a > 1', 'no such overload'),
          failed('object.data.a.b == 1', 'no such key: b'),
          failed('object.spec.x == 1', 'no such key: spec'),
          failed('1 / int(object.data.zero) == 1', 'division by zero'),
        ],
        () => policy.create({ a: 'b', zero: '0' }),
      );
    },

    'expressions see the object and the request': async (t) => {
      const policy = await warning(
        t,
        showing(
          "object.kind + ' ' + object.apiVersion + ' ' + object.metadata.namespace + ' ' + object.data.a",
          "string(has(object.metadata.uid)) + ' ' + string(oldObject == null) + ' ' + string(size(object.data))",
          "request.operation + ' ' + request.name + ' ' + request.namespace + ' ' + string(request.dryRun)",
          "request.kind.group + '/' + request.kind.version + ' ' + request.kind.kind + ' ' + request.requestKind.kind",
          "request.resource.group + '/' + request.resource.version + ' ' + request.resource.resource",
          "request.requestResource.resource + ' ' + string(has(request.subResource)) + string(has(request.requestSubResource))",
          "request.userInfo.username + ' ' + request.userInfo.groups.join(',')",
          "string(has(request.userInfo.uid)) + ' ' + request.userInfo.extra['example.com/floor'].join(',')",
          "request.options.kind + ' ' + request.options.apiVersion + ' ' + request.options.dryRun.join(',')",
          "string(has(request.options.fieldManager)) + ' ' + string(dyn(request).object == null)",
          "dyn(request).map(k, k).size() == 13 ? 'all' : 'other'",
        ),
      );
      const { namespace, name } = policy;
      const identity = as('jane', 'blue', 'system:masters');
      const headers = { ...identity.headers, 'impersonate-extra-example.com%2ffloor': ['3', '4'] };
      await policy.warns(
        [
          `ConfigMap v1 ${namespace} b`,
          'true true 1',
          `CREATE ${name} ${namespace} true`,
          '/v1 ConfigMap ConfigMap',
          '/v1 configmaps',
          'configmaps falsefalse',
          'jane blue,system:masters,system:authenticated',
          'false 3,4',
          'CreateOptions meta.k8s.io/v1 All',
          'false true',
          'all',
        ],
        () => t.post(configMaps(namespace), configMap(name, { a: 'b' }), { ...dryRun, headers }),
      );
    },

    'expressions see the namespace': async (t) => {
      const policy = await warning(
        t,
        showing(
          'namespaceObject.metadata.name',
          "namespaceObject.status.phase + ' ' + namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
          "string(has(dyn(namespaceObject).metadata.managedFields)) + ' ' + namespaceObject.spec.finalizers.join(',')",
          "string(has(dyn(namespaceObject).kind)) + ' ' + string(has(dyn(namespaceObject).metadata.uid))",
        ),
      );
      const { namespace } = policy;
      await policy.warns([namespace, `Active ${namespace}`, 'false kubernetes', 'false true']);
    },

    'a namespace itself is in none': async (t) => {
      const expression =
        "request.namespace + ' ' + string(namespaceObject == null) + ' ' + string(has(object.metadata.namespace))";
      const policy = await warning(t, showing(expression), { rule: { resources: ['namespaces'], scope: 'Cluster' } });
      await policy.warns([`${policy.name} true false`], () =>
        t.post(namespaces, { metadata: { name: policy.name } }, dryRun),
      );
    },

    'variables are computed from each other when they are used': async (t) => {
      const policy = await warning(t, {
        variables: [
          { name: 'size', expression: 'size(object.data)' },
          { name: 'double', expression: 'variables.size * 2' },
          { name: 'wrong', expression: 'object.data.missing' },
          { name: 'who', expression: 'authorizer' },
        ],
        validations: [
          { expression: 'variables.double == 3', messageExpression: 'string(variables.double)' },
          { expression: 'variables.wrong == "x"' },
          { expression: `false && variables.wrong == "x"`, messageExpression: "string(variables.size) + 'x'" },
          { expression: 'variables.who.path("/x").check("get").allowed()' },
        ],
      });
      await policy.warns([
        '2',
        `expression 'variables.wrong == "x"' resulted in error: composited variable "wrong" fails to evaluate: no such key: missing`,
        '1x',
      ]);
    },

    'errors are left alone where failures are ignored': async (t) => {
      const policy = await warning(t, {
        failurePolicy: 'Ignore',
        validations: [{ expression: 'object.data.missing == "x"' }, { expression: 'false', message: 'this' }],
      });
      await policy.warns(['this']);
    },

    'a condition that is false leaves an object alone, whatever else is wrong': async (t) => {
      const policy = await warning(t, {
        matchConditions: [
          { name: 'broken', expression: 'object.data.a == object.data.missing' },
          { name: 'example.com/selected', expression: "object.data.a == 'b'" },
        ],
        validations: [{ expression: 'false' }],
      });
      await policy.warns(["expression 'object.data.a == object.data.missing' resulted in error: no such key: missing"]);
      (await policy.create({ a: 'c' })).has('warning', undefined);
      policy.warned(await policy.create({ a: 'b', missing: 'b' }), ['failed expression: false']);
    },

    'several broken conditions are told together, once each, and know no namespace': async (t) => {
      const expression = 'object.data.missing == "x"';
      const policy = await denying(t, {
        matchConditions: [
          { name: 'a', expression: 'namespaceObject == null' },
          { name: 'b', expression },
          { name: 'c', expression: 'object.data.gone == "x"' },
          { name: 'd', expression },
        ],
        validations: [{ expression: 'false' }],
      });
      const error = (field: string) =>
        `expression 'object.data.${field} == "x"' resulted in error: no such key: ${field}`;
      await policy.refuses(`[${error('missing')}, ${error('gone')}]`);
    },

    'broken conditions do not match where failures are ignored': async (t) => {
      const policy = await warning(t, {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'a', expression: "object.data.a == 'b' || object.data.missing == 'x'" }],
        validations: [{ expression: 'false' }],
      });
      await policy.warns(['failed expression: false']);
      (await policy.create({ a: 'c' })).has('warning', undefined);
    },

    'parameters are found by name, in the namespace of the object': async (t) => {
      const { kind, paramKind } = await parameters(t);
      const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
      const messageExpression = "params.kind + ' ' + params.apiVersion + ' allows ' + string(params.spec.size)";
      const validations = [{ expression: 'int(object.data.size) <= params.spec.size', messageExpression }];
      const policy = await denying(t, { paramKind, validations }, { binding: { paramRef } });
      const { namespace } = policy;
      await policy.refuses(
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
      );
      (await t.post(kind.in(namespace), kind.object('limits', { spec: { size: 5 } }))).is(201);
      await t.eventually(async () => (await policy.create({ size: '5' })).is(201));
      (await policy.create({ size: '6' })).refuses(policy.denial(`${kind.kind} ${kind.apiVersion} allows 5`));
    },

    'parameters are found by labels, each one counts, and none may be allowed': async (t) => {
      const { kind, paramKind } = await parameters(t);
      const label = t.name('label');
      const paramRef = { selector: { matchLabels: { [label]: 'yes' } }, parameterNotFoundAction: 'Allow' };
      const validations = [{ expression: 'false', messageExpression: 'string(params.spec.size)' }];
      const policy = await warning(t, { paramKind, validations }, { binding: { paramRef } });
      const path = kind.in(policy.namespace);
      const param = (name: string, size: number) =>
        kind.object(name, { spec: { size } }, { labels: { [label]: 'yes' } });
      (await t.post(path, param('one', 1))).is(201);
      await policy.warns(['1']);
      (await t.post(path, param('two', 2))).is(201);
      await t.eventually(async () => {
        const answer = await policy.create();
        answer.judge(answer.warnings.map((each) => /(\d)"$/.exec(each)?.[1]).sort(), ['1', '2']);
      });
      (await t.delete(`${path}/one`)).is(200);
      (await t.delete(`${path}/two`)).is(200);
      await t.eventually(async () => (await policy.create()).has('warning', undefined));
    },

    'a binding without parameters gives null': async (t) => {
      const policy = await denying(t, {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'params != null' }],
      });
      await policy.refuses('failed expression: params != null');
    },

    'parameters that cannot be found are a mistake of the policy or the binding': async (t) => {
      const validations = [{ expression: 'true' }];
      const paramRef = { name: 'x', parameterNotFoundAction: 'Allow' };
      const kind = (apiVersion: string, name: string) => ({ paramKind: { apiVersion, kind: name }, validations });
      const unknown = await denying(t, kind('none.example.com/v1', 'None'), { binding: { paramRef } });
      const cluster = await denying(t, kind('v1', 'Namespace'), {
        binding: { paramRef: { ...paramRef, namespace: 'default' } },
      });
      await cluster.refuses(
        'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
      );
      const { name } = unknown;
      const why = `ValidatingAdmissionPolicy '${name}' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'none.example.com/v1, Kind=None'`;
      await t.eventually(async () =>
        (await unknown.create()).refuses({
          code: 422,
          reason: 'Invalid',
          message: `configmaps "${name}" is forbidden: ${why}`,
          details: { name, kind: 'configmaps', causes: [{ message: why }] },
        }),
      );
    },

    'the authoriser can be asked': async (t) => {
      const policy = await warning(t, {
        variables: [
          { name: 'pods', expression: "authorizer.group('').resource('pods').namespace(request.namespace)" },
          { name: 'account', expression: "authorizer.serviceAccount(request.namespace, 'builder')" },
        ],
        validations: [
          { expression: "!variables.pods.check('get').allowed()", message: 'may get pods' },
          { expression: "!variables.pods.check('delete').allowed()", message: 'may delete pods' },
          {
            expression: "!variables.pods.name('one').subresource('log').check('get').allowed()",
            message: 'may read logs',
          },
          { expression: "!authorizer.requestResource.check('create').allowed()", message: 'may create this' },
          { expression: "!authorizer.requestResource.check('delete').allowed()", message: 'may delete this' },
          { expression: "!authorizer.path('/healthz').check('get').allowed()", message: 'may see health' },
          {
            expression: "!variables.account.group('').resource('pods').check('get').allowed()",
            message: 'builder may get pods',
          },
          {
            expression: "!variables.account.path('/healthz').check('get').allowed()",
            message: 'builder may see health',
          },
          { expression: "authorizer.group('').resource('pods').check('get').reason() == ''", message: 'has a reason' },
          {
            expression: "!variables.pods.check('get').errored() && variables.pods.check('get').error() == ''",
            message: 'fine',
          },
          { expression: "authorizer.group('').resource(' ').check('get').allowed()" },
          { expression: "authorizer.path('').check('get').allowed()" },
          { expression: "authorizer.serviceAccount('a', 'B').path('/').check('get').allowed()" },
        ],
      });
      const { namespace, name } = policy;
      const who = t.name('user');
      await grant(t, namespace, who, right('get', 'pods'), right('create', 'configmaps'));
      const failed = (expression: string, why: string) => `expression '${expression}' resulted in error: ${why}`;
      await policy.warns(
        [
          'may get pods',
          'may create this',
          'may see health',
          failed("authorizer.group('').resource(' ').check('get').allowed()", 'resource must not be empty'),
          failed("authorizer.path('').check('get').allowed()", 'path must not be empty'),
          failed(
            "authorizer.serviceAccount('a', 'B').path('/').check('get').allowed()",
            'Invalid service account name',
          ),
        ],
        () => t.post(configMaps(namespace), configMap(name), { ...dryRun, ...as(who) }),
      );
    },

    'updates, patches, applies and deletions show what was there before': async (t) => {
      const policy = await warning(
        t,
        showing(
          "request.operation + ' ' + request.options.kind + ' ' + (object == null ? 'null' : object.data.a) + ' ' + (oldObject == null ? 'null' : oldObject.data.a)",
        ),
      );
      const path = configMaps(policy.namespace);
      const own = `${path}/${policy.name}`;
      const body = configMap(policy.name, { a: '1' });
      await policy.warns(['CREATE CreateOptions 1 null'], () => t.post(path, body, dryRun));
      policy.warned(await t.post(path, body), ['CREATE CreateOptions 1 null']);
      policy.warned(await t.put(own, configMap(policy.name, { a: '2' })), ['UPDATE UpdateOptions 2 1']);
      policy.warned(await t.mergePatch(own, { data: { a: '3' } }), ['UPDATE UpdateOptions 3 2']);
      const applied = { ...configMap(policy.name, { a: '4' }) };
      policy.warned(await t.apply(own, applied, { manager: 'm', force: true }), ['UPDATE UpdateOptions 4 3']);
      const fresh = await t.namespace();
      policy.warned(await t.apply(`${configMaps(fresh)}/${policy.name}`, applied, { manager: 'm' }), [
        'CREATE CreateOptions 4 null',
      ]);
      // The deletion of a collection names none of its objects, so that no rule finds one by its name.
      const query = { fieldSelector: `metadata.name=${policy.name}`, dryRun: 'All' };
      (await t.delete(path, { query })).has('warning', undefined);
      policy.warned(await t.delete(own), ['DELETE DeleteOptions null 4']);
    },

    'a deletion can be refused': async (t) => {
      const policy = await denying(t, { validations: [{ expression: "request.operation != 'DELETE'" }] });
      const path = configMaps(policy.namespace);
      const own = `${path}/${policy.name}`;
      (await t.post(path, configMap(policy.name))).is(201);
      await t.eventually(async () =>
        (await t.delete(own, dryRun)).refuses(policy.denial("failed expression: request.operation != 'DELETE'")),
      );
      (await t.get(own)).is(200);
      (await t.delete(`${bindingPath('Validating')}/${policy.name}`)).is(200);
      await t.eventually(async () => (await t.delete(own, dryRun)).is(200));
    },

    'subresources are matched by their own rules': async (t) => {
      const expression =
        "request.subResource + ' ' + request.kind.group + ' ' + request.kind.kind + ' ' + object.kind + ' ' + string(object.spec.replicas)";
      const policy = await warning(t, showing(expression), {
        rule: { apiGroups: ['apps'], resources: ['deployments/scale', 'deployments/status'] },
      });
      const path = deployments(policy.namespace);
      const own = `${path}/${policy.name}`;
      (await t.post(path, deployment(policy.name))).has('warning', undefined);
      await policy.warns(['scale autoscaling Scale Scale 2'], () =>
        t.mergePatch(`${own}/scale`, { spec: { replicas: 2 } }, dryRun),
      );
      policy.warned(await t.mergePatch(`${own}/status`, { status: { replicas: 1 } }, dryRun), [
        'status apps Deployment Deployment 3',
      ]);
      (await t.mergePatch(own, { metadata: { labels: { a: 'b' } } }, dryRun)).has('warning', undefined);
    },

    'rules can exclude, and selectors choose': async (t) => {
      const spec = { validations: [{ expression: 'false' }] };
      const rule = { apiGroups: [''], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] };
      const policy = await warning(t, spec, {
        constraints: { excludeResourceRules: [rule], objectSelector: { matchLabels: { judged: 'yes' } } },
      });
      await policy.warns(['failed expression: false'], () => policy.create({}, { labels: { judged: 'yes' } }));
      (await policy.create()).has('warning', undefined);
      const path = configMaps(policy.namespace);
      (await t.post(path, configMap(policy.name))).is(201);
      (await t.mergePatch(`${path}/${policy.name}`, { metadata: { labels: { judged: 'yes' } } })).has(
        'warning',
        undefined,
      );
      policy.warned(await t.delete(`${path}/${policy.name}`, dryRun), ['failed expression: false']);
    },

    'a binding can choose further': async (t) => {
      const chosen = await t.freshNamespace();
      const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': chosen } } };
      const policy = await warning(t, { validations: [{ expression: 'false' }] }, { binding: { matchResources } });
      await policy.warns(['failed expression: false'], () =>
        t.post(configMaps(chosen), configMap(policy.name), dryRun),
      );
      (await policy.create()).has('warning', undefined);
    },

    'another version of the same objects is matched if it is equivalent, and shown as the rule has it': async (t) => {
      const rule = { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] };
      const expression =
        "request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion + ' ' + string(object.spec.?targetCPUUtilizationPercentage.orValue(0))";
      const equivalent = await warning(t, showing(expression), { rule });
      const exact = await warning(t, showing(expression), { rule, constraints: { matchPolicy: 'Exact' } });
      const send = (name: string, version: string): Promise<Answer> => {
        const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
        const metrics = [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ];
        const spec = {
          scaleTargetRef,
          maxReplicas: 2,
          ...(version === 'v2' ? { metrics } : { targetCPUUtilizationPercentage: 50 }),
        };
        const path = `/apis/autoscaling/${version}/namespaces/${equivalent.namespace}/horizontalpodautoscalers`;
        return t.post(path, { metadata: { name }, spec }, dryRun);
      };
      await equivalent.warns(['v1 v2 autoscaling/v1 50'], () => send(equivalent.name, 'v2'));
      await exact.warns(['v1 v1 autoscaling/v1 50'], () => send(exact.name, 'v1'));
      (await send(exact.name, 'v2')).has('warning', undefined);
    },

    'custom kinds are judged like others': async (t) => {
      const kind = await widgets(t);
      const policy = await denying(
        t,
        {
          validations: [
            { expression: 'object.spec.size < 3', messageExpression: "'size ' + string(object.spec.size)" },
          ],
        },
        { rule: { apiGroups: [kind.group], apiVersions: [kind.version], resources: [kind.plural] } },
      );
      const { name } = policy;
      const path = kind.in(policy.namespace);
      const why = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: size 4`;
      await t.eventually(async () =>
        (await t.post(path, kind.object(name, { spec: { size: 4 } }), dryRun)).refuses({
          code: 422,
          reason: 'Invalid',
          message: `${kind.plural}.${kind.group} "${name}" is forbidden: ${why}`,
          details: { name, group: kind.group, kind: kind.plural, causes: [{ message: why }] },
        }),
      );
      (await t.post(path, kind.object(name, { spec: { size: 2 } }), dryRun)).is(201);
    },

    'policies and their bindings are judged by none': async (t) => {
      const policy = await denying(
        t,
        { validations: [{ expression: 'false' }] },
        {
          rule: {
            apiGroups: ['', 'admissionregistration.k8s.io'],
            resources: [
              'configmaps',
              'validatingadmissionpolicies',
              'validatingadmissionpolicybindings',
              'validatingwebhookconfigurations',
            ],
          },
        },
      );
      await policy.refuses('failed expression: false');
      const own = `${policyPath('Validating')}/${policy.name}`;
      (await t.mergePatch(own, { metadata: { labels: { a: 'b' } } })).is(200);
      (await t.delete(`${bindingPath('Validating')}/${policy.name}`, dryRun)).is(200);
      const configuration = { metadata: { name: policy.name } };
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      (await t.post(path, configuration, dryRun)).is(422);
    },

    'one expression costs only so much': async (t) => {
      const expression = `${check} && ${check} && ${check}`;
      const policy = await denying(t, { validations: [{ expression }] });
      await policy.refuses(
        `expression '${expression}' resulted in error: operation cancelled: actual cost limit exceeded`,
      );
    },

    'all expressions together cost only so much': async (t) => {
      const policy = await denying(t, { validations: Array(16).fill({ expression: `${check} && ${check}` }) });
      const why = 'validation failed due to running out of cost budget, no further validation rules will be run';
      await policy.refuses(why);
    },

    'conditions together cost less': async (t) => {
      const conditions = [1, 2, 3, 4, 5].map((i) => ({ name: `c${i}`, expression: `${check} && ${check}` }));
      const policy = await denying(t, { matchConditions: conditions, validations: [{ expression: 'false' }] });
      const why = 'validation failed due to running out of cost budget, no further validation rules will be run';
      await policy.refuses(why);
    },

    'an annotation for the audit that cannot be computed refuses, whatever the binding wants': async (t) => {
      const valueExpression = "object.data.missing + ''";
      const policy = await warning(t, {
        validations: [{ expression: 'true' }],
        auditAnnotations: [
          { key: 'fine', valueExpression: "'x'" },
          { key: 'wrong', valueExpression },
        ],
      });
      await policy.refuses(`expression '${valueExpression}' resulted in error: no such key: missing`);
    },

    'the name of an object is made up before it is judged': async (t) => {
      const policy = await denying(
        t,
        { validations: [{ expression: 'request.name != object.metadata.name', messageExpression: 'request.name' }] },
        { rule: { resourceNames: [] }, constraints: { objectSelector: { matchLabels: { nameless: 'yes' } } } },
      );
      const body = { metadata: { generateName: 'nameless-', labels: { nameless: 'yes' } } };
      const why = `ValidatingAdmissionPolicy '${policy.name}' with binding '${policy.name}' denied request: nameless-`;
      await t.eventually(async () =>
        (await t.post(configMaps(policy.namespace), body, dryRun)).refuses({
          code: 422,
          reason: 'Invalid',
          message: new RegExp(`^configmaps "nameless-\\w+" is forbidden: ${why}\\w+$`),
          details: { name: /^nameless-\w+$/, kind: 'configmaps', causes: [{ message: new RegExp(`^${why}\\w+$`) }] },
        }),
      );
    },

    'types are checked against the schemas of the kinds that are matched, and told in the status': {
      needs: 'controllers',
      async proof(t) {
        const expressions = [
          'object.spec.replicas > 1',
          "object.spec.replicas > '1'",
          "variables.count > '1'",
          'has(object.spec.strategy)',
          "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
          'object.spec.template.spec.containers.all(c, c.image != 1)',
        ];
        const policy = await warning(
          t,
          {
            variables: [{ name: 'count', expression: 'object.spec.replicas' }],
            validations: expressions.map((expression) => ({
              expression,
              messageExpression: "string(object.nope) + 'x'",
            })),
          },
          { rule: { apiGroups: ['apps'], resources: ['deployments', 'replicasets', 'deployments/scale'] } },
        );
        const issue = (kind: string, at: number, message: string, text: string) =>
          `apps/v1, Kind=${kind}: ERROR: <input>:1:${at}: ${message}\n | ${text}\n | ${'.'.repeat(at - 1)}^\n`;
        const both = (at: number, message: string, text: string) =>
          ['Deployment', 'ReplicaSet'].map((kind) => issue(kind, at, message, text)).join('\n');
        const overload = (operator: string, types: string) =>
          `found no matching overload for '${operator}' applied to '${types}'`;
        const [, second = '', third = '', fourth = '', , sixth = ''] = expressions;
        const found = new Map([
          [1, both(22, overload('_>_', '(int, string)'), second)],
          [2, both(17, overload('_>_', '(int, string)'), third)],
          [3, issue('ReplicaSet', 4, "undefined field 'strategy'", fourth)],
          [5, both(53, overload('_!=_', '(string, int)'), sixth)],
        ]);
        const message = both(14, "undefined field 'nope'", "string(object.nope) + 'x'");
        const expressionWarnings = expressions.flatMap((_, i) => {
          const text = found.get(i);
          return [
            ...(text === undefined ? [] : [{ fieldRef: `spec.validations[${i}].expression`, warning: text }]),
            { fieldRef: `spec.validations[${i}].messageExpression`, warning: message },
          ];
        });
        await t.eventually(async () =>
          (await t.get(`${policyPath('Validating')}/${policy.name}`)).is(200, {
            status: { observedGeneration: 1, typeChecking: exactly({ expressionWarnings }) },
          }),
        );
      },
    },
  },
};
