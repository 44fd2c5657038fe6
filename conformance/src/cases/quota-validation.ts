/** ResourceQuotas and LimitRanges that contradict themselves, or name what there is not. */
import type { Area, Proof } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { causeOf, invalid } from '../refusals.ts';

const quotas = (namespace: string) => `/api/v1/namespaces/${namespace}/resourcequotas`;
const limitRanges = (namespace: string) => `/api/v1/namespaces/${namespace}/limitranges`;
const dryRun = { query: { dryRun: 'All' } };

const quota = (spec: Fields) => ({ metadata: { name: 'a' }, spec });
const range = (limits: readonly Fields[]) => ({ metadata: { name: 'a' }, spec: { limits } });

const quotaRefused =
  (spec: Fields, ...causes: readonly string[]): Proof =>
  async (t) => {
    const answer = await t.post(quotas(await t.namespace()), quota(spec), dryRun);
    answer.refuses(invalid('ResourceQuota', 'a', ...causes.map(causeOf)));
  };

const quotaTaken =
  (...specs: readonly Fields[]): Proof =>
  async (t) => {
    const path = quotas(await t.namespace());
    for (const spec of specs) (await t.post(path, quota(spec), dryRun)).is(201);
  };

const rangeRefused =
  (limits: readonly Fields[], ...causes: readonly string[]): Proof =>
  async (t) => {
    const answer = await t.post(limitRanges(await t.namespace()), range(limits), dryRun);
    answer.refuses(invalid('LimitRange', 'a', ...causes.map(causeOf)));
  };

const selected = (hard: Fields, ...matchExpressions: readonly Fields[]) => ({
  hard,
  scopeSelector: { matchExpressions },
});
const selector = 'spec.scopeSelector.matchExpressions';
const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
const nameFormat =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const pods = { pods: '1' };
const [best, notBest] = ['BestEffort', 'NotBestEffort'];

export const quotaValidation: Area = {
  name: 'quota validation',
  proves: ['Q1', 'Q2'],
  cases: {
    'a quota is not negative': quotaRefused(
      { hard: { pods: '-1' } },
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    'objects are counted in whole numbers': quotaRefused(
      { hard: { pods: '1500m' } },
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
    ),
    'so are objects of any resource': quotaRefused(
      { hard: { 'count/deployments.apps': '1500m' } },
      'spec.hard[count/deployments.apps]: Invalid value: "1500m": must be an integer',
    ),
    'so are devices': quotaRefused(
      { hard: { 'example.com/gold': '1500m' } },
      'spec.hard[example.com/gold]: Invalid value: "1500m": must be an integer',
    ),
    'processors, requests for devices and huge pages may be anything': quotaTaken(
      { hard: { cpu: '1500m' } },
      { hard: { 'requests.example.com/gold': '1500m' } },
      { hard: { 'hugepages-2Mi': '1' } },
    ),
    'a quota limits what is known': quotaRefused(
      { hard: { gold: '1' } },
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource type or fully qualified',
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource for quota',
    ),
    'storage is limited by its requests': quotaRefused(
      { hard: { storage: '1' } },
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
    ),
    'a resource in a quota has a name': quotaRefused(
      { hard: { 'Not Valid': '1' } },
      `spec.hard[Not Valid]: Invalid value: "Not Valid": ${nameFormat}`,
      'spec.hard[Not Valid]: Invalid value: "Not Valid": must be a standard resource for quota',
    ),
    'a scope is known': quotaRefused(
      { hard: pods, scopes: ['Gold'] },
      'spec.scopes: Invalid value: ["Gold"]: unsupported scope',
    ),
    'a scope fits what is limited': quotaRefused(
      { hard: { pods: '1', cpu: '1' }, scopes: [best] },
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ),
    'claims have a scope of their own': async (t) => {
      const scopes = ['VolumeAttributesClass'];
      await quotaTaken({ hard: { persistentvolumeclaims: '1' }, scopes })(t);
      const why = 'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource';
      await quotaRefused({ hard: pods, scopes }, why)(t);
    },
    'scopes that exclude each other leave nothing': quotaRefused(
      { hard: pods, scopes: [best, notBest] },
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ),
    'the scopes of a quota do not change, and their order means nothing': async (t) => {
      const path = quotas(await t.namespace());
      const scopes = [best, 'Terminating'];
      (await t.post(path, quota({ hard: pods, scopes }))).is(201);
      (await t.put(`${path}/a`, quota({ hard: pods, scopes: scopes.toReversed() }))).is(200);
      (await t.put(`${path}/a`, quota({ hard: pods, scopes: [best] }))).refuses(
        invalid('ResourceQuota', 'a', causeOf('spec.scopes: Invalid value: ["BestEffort"]: field is immutable')),
      );
      (await t.put(`${path}/a`, quota({ hard: pods }))).refuses(
        invalid('ResourceQuota', 'a', causeOf('spec.scopes: Invalid value: null: field is immutable')),
      );
    },
    'a selected scope is known': quotaRefused(
      selected(pods, { scopeName: 'Gold', operator: 'Exists' }),
      `${selector}.scopeName: Invalid value: "Gold": unsupported scope`,
    ),
    'a selected scope fits what is limited': quotaRefused(
      selected({ services: '1' }, { scopeName: 'PriorityClass', operator: 'In', values: ['a'] }),
      `${selector}: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"In","Values":["a"]}]}: unsupported scope applied to resource`,
    ),
    'most scopes have no values': quotaRefused(
      selected(pods, { scopeName: best, operator: 'In', values: ['a'] }),
      `${selector}.operator: Invalid value: "In": ${onlyExists}`,
    ),
    'a scope is in some values': quotaRefused(
      selected(pods, { scopeName: 'PriorityClass', operator: 'In' }),
      `${selector}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
    ),
    'a scope exists in no values': quotaRefused(
      selected(pods, { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }),
      `${selector}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
    ),
    'a scope is selected by a known operator': quotaRefused(
      selected(pods, { scopeName: 'PriorityClass', operator: 'Is' }),
      `${selector}.operator: Invalid value: "Is": not a valid selector operator`,
    ),
    'selected scopes that exclude each other leave nothing': quotaRefused(
      selected(pods, { scopeName: best, operator: 'Exists' }, { scopeName: notBest, operator: 'Exists' }),
      `${selector}: Invalid value: null: conflicting scopes`,
    ),
    'a status is checked as a spec is': async (t) => {
      const path = quotas(await t.freshNamespace());
      (await t.post(path, quota({ hard: {} }))).is(201);
      const status = { hard: { gold: '1' }, used: { pods: '-1' } };
      (await t.mergePatch(`${path}/a/status`, { status })).refuses(
        invalid(
          'ResourceQuota',
          'a',
          causeOf('status.hard[gold]: Invalid value: "gold": must be a standard resource type or fully qualified'),
          causeOf('status.hard[gold]: Invalid value: "gold": must be a standard resource for quota'),
          causeOf('status.used[pods]: Invalid value: "-1": must be greater than or equal to 0'),
        ),
      );
    },

    'a range is about something known': rangeRefused(
      [{ type: 'Gold' }],
      'spec.limits[0].type: Invalid value: "Gold": must be a standard limit type or fully qualified',
    ),
    'a range is about something': rangeRefused(
      [{}],
      'spec.limits[0].type: Invalid value: "": name part must be non-empty',
      `spec.limits[0].type: Invalid value: "": ${nameFormat}`,
    ),
    'a range speaks of everything once': rangeRefused(
      [{ type: 'Pod', max: { cpu: '1' } }, { type: 'Pod' }],
      'spec.limits[1].type: Duplicate value: "Pod"',
    ),
    'a range of pods is about what containers ask for': rangeRefused(
      [{ type: 'Pod', max: { pods: '1' } }],
      'spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
    ),
    'a device is not called as its quota is': rangeRefused(
      [{ type: 'Pod', max: { 'requests.example.com/gold': '1' } }],
      'spec.limits[0].max[requests.example.com/gold]: Invalid value: "requests.example.com/gold": doesn\'t follow extended resource name standard',
    ),
    'pods have no defaults': rangeRefused(
      [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }],
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ),
    'a range of claims is about storage': rangeRefused(
      [{ type: 'PersistentVolumeClaim' }],
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ),
    'the smallest is not larger than the largest': rangeRefused(
      [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }],
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ),
    'nor for containers, whose defaults come from both': rangeRefused(
      [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }],
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ),
    'a default request is not above limit and largest': rangeRefused(
      [{ type: 'Container', max: { cpu: '1' }, defaultRequest: { cpu: '2' } }],
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
    ),
    'a default limit is not above the largest': rangeRefused(
      [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '1' } }],
      'spec.limits[0].default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
    ),
    'a ratio is at least one': rangeRefused(
      [{ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }],
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ),
    'a ratio is at most that of largest to smallest': rangeRefused(
      [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }],
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
    ),
    'a device is limited to what is requested': rangeRefused(
      [{ type: 'Container', default: { 'example.com/gold': '2' }, defaultRequest: { 'example.com/gold': '1' } }],
      'spec.limits[0].defaultRequest[example.com/gold]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gold',
    ),
  },
};
