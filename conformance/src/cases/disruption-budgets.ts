/** PodDisruptionBudgets: what they may say, how they are shown, and what the controller makes of them. */
import type { Area, Case, Proof } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { age, exactly, timestamp } from '../match.ts';
import { deployment } from '../objects.ts';
import { podDisruptionBudgets, replicaSets, serviceAccounts } from '../paths.ts';
import { type Cause, invalid } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const withControllers = (proof: Proof): { needs: NonNullable<Case['needs']>; proof: Proof } => ({
  needs: 'controllers',
  proof,
});

/** A spec that is refused. */
const refused =
  (spec: Fields, ...causes: readonly Cause[]): Proof =>
  async (t) => {
    const path = podDisruptionBudgets(await t.namespace());
    (await t.post(path, { metadata: { name: 'a' }, spec })).refuses(
      invalid('PodDisruptionBudget.policy', 'a', ...causes),
    );
  };

const value = (field: string, message: string): Cause => ({ reason: 'FieldValueInvalid', message, field });
const atLeastZero = 'must be greater than or equal to 0';
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** Four pods that no scheduler takes, of one ReplicaSet. */
async function fourPods(t: Trial): Promise<string> {
  const namespace = await t.freshNamespace();
  await t.eventually(async () => (await t.get(`${serviceAccounts(namespace)}/default`)).is(200));
  const { spec } = deployment('a');
  const template = { ...spec.template, spec: { ...spec.template.spec, schedulerName: 'conformance' } };
  const body = { metadata: { name: 'a' }, spec: { replicas: 4, selector: spec.selector, template } };
  (await t.post(replicaSets(namespace), body)).is(201);
  await t.eventually(async () => (await t.get(`${replicaSets(namespace)}/a`)).is(200, { status: { replicas: 4 } }));
  return namespace;
}

/** What the controller says of a budget for them. */
function judged(spec: Fields, status: Fields): ReturnType<typeof withControllers> {
  return withControllers(async (t) => {
    const path = podDisruptionBudgets(await fourPods(t));
    const body = { metadata: { name: 'a' }, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } };
    (await t.post(path, body)).is(201);
    await t.eventually(async () => {
      (await t.get(`${path}/a`)).is(200, {
        status: exactly({
          observedGeneration: 1,
          disruptionsAllowed: 0,
          currentHealthy: 0,
          ...status,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              observedGeneration: 1,
              lastTransitionTime: timestamp,
              reason: 'InsufficientPods',
              message: '',
            },
          ],
        }),
      });
    });
  });
}

export const disruptionBudgets: Area = {
  name: 'disruption budgets',
  proves: ['B2'],
  cases: {
    'may say nothing, and have a status of zeros': async (t) => {
      const path = podDisruptionBudgets(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' } })).is(201, {
        metadata: { generation: 1 },
        spec: exactly({}),
        status: exactly({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
      });
    },

    // The spec is quoted as the server holds it, not as it was sent.
    'may not say both how many must stay and how many may go': refused(
      {
        minAvailable: 1,
        maxUnavailable: '10%',
        selector: { matchLabels: { b: 'c', a: 'x' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['1'] }] },
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
      value(
        'spec',
        'Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"x","b":"c"},"matchExpressions":[{"key":"k","operator":"In","values":["1"]}]},"MaxUnavailable":"10%","UnhealthyPodEvictionPolicy":"AlwaysAllow"}: minAvailable and maxUnavailable cannot be both set',
      ),
    ),

    'may say both in no other way': refused(
      { minAvailable: 1, maxUnavailable: 1 },
      value(
        'spec',
        'Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ),
    ),

    'count from zero': refused({ minAvailable: -1 }, value('spec.minAvailable', `Invalid value: -1: ${atLeastZero}`)),

    'know no more than all': refused(
      { maxUnavailable: '110%' },
      value('spec.maxUnavailable', 'Invalid value: "110%": must not be greater than 100%'),
    ),

    'know text as a percentage only': refused(
      { maxUnavailable: '5' },
      value('spec.maxUnavailable', `Invalid value: "5": ${percent}`),
    ),

    'have a selector that can be read': refused(
      {
        selector: {
          matchExpressions: [
            { key: 'a', operator: 'In' },
            { key: 'b', operator: 'Near' },
            { key: 'c', operator: 'Exists', values: ['a'] },
          ],
        },
      },
      {
        reason: 'FieldValueRequired',
        message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        field: 'spec.selector.matchExpressions[0].values',
      },
      value('spec.selector.matchExpressions[1].operator', 'Invalid value: "Near": not a valid selector operator'),
      {
        reason: 'FieldValueForbidden',
        message: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        field: 'spec.selector.matchExpressions[2].values',
      },
    ),

    'know two ways with pods that are not ready': refused(
      { unhealthyPodEvictionPolicy: 'Never' },
      {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
        field: 'spec.unhealthyPodEvictionPolicy',
      },
    ),

    'must stay valid': async (t) => {
      const path = podDisruptionBudgets(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' }, spec: { minAvailable: 1 } })).is(201);
      (await t.mergePatch(`${path}/a`, { spec: { minAvailable: '-1%' } })).refuses(
        invalid('PodDisruptionBudget.policy', 'a', value('spec.minAvailable', `Invalid value: "-1%": ${percent}`)),
      );
      (await t.mergePatch(`${path}/a`, { spec: { minAvailable: 2 } })).is(200, { metadata: { generation: 2 } });
    },

    'have a status without negative numbers and with whole conditions': async (t) => {
      const path = podDisruptionBudgets(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' } })).is(201);
      const status = {
        disruptionsAllowed: -1,
        currentHealthy: -1,
        desiredHealthy: -1,
        expectedPods: -1,
        conditions: [{ type: 'A' }],
      };
      const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
      (await t.mergePatch(`${path}/a/status`, { status })).refuses(
        invalid(
          'PodDisruptionBudget.policy',
          'a',
          {
            reason: 'FieldValueNotSupported',
            message: 'Unsupported value: "": supported values: "False", "True", "Unknown"',
            field: 'status.conditions[0].status',
          },
          { reason: 'FieldValueRequired', message: 'Required value', field: 'status.conditions[0].lastTransitionTime' },
          { reason: 'FieldValueRequired', message: 'Required value', field: 'status.conditions[0].reason' },
          ...counts.map((name) => value(`status.${name}`, `Invalid value: -1: ${atLeastZero}`)),
        ),
      );
    },

    'are shown with what they say and allow': async (t) => {
      const path = podDisruptionBudgets(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' }, spec: { minAvailable: 1 } })).is(201);
      (await t.post(path, { metadata: { name: 'b' }, spec: { maxUnavailable: '10%' } })).is(201);
      (await t.get(path, { headers: table })).is(200, {
        columnDefinitions: [
          { name: 'Name', type: 'string' },
          { name: 'Min Available', type: 'string', description: 'The minimum number of pods that must be available.' },
          {
            name: 'Max Unavailable',
            type: 'string',
            description: 'The maximum number of pods that may be unavailable.',
          },
          {
            name: 'Allowed Disruptions',
            type: 'integer',
            description: 'Calculated number of pods that may be disrupted at this time.',
          },
          { name: 'Age', type: 'string' },
        ],
        rows: [{ cells: ['a', '1', 'N/A', 0, age] }, { cells: ['b', 'N/A', '10%', 0, age] }],
      });
    },

    'with a number that must stay expect the pods that there are': judged(
      { minAvailable: 3 },
      { desiredHealthy: 3, expectedPods: 4 },
    ),
    'with a share that must stay round it up': judged({ minAvailable: '30%' }, { desiredHealthy: 2, expectedPods: 4 }),
    'with a share that may go round it up, too': judged(
      { maxUnavailable: '30%' },
      { desiredHealthy: 2, expectedPods: 4 },
    ),
    'with more that may go than there are want none': judged(
      { maxUnavailable: 5 },
      { desiredHealthy: 0, expectedPods: 4 },
    ),
    'without a number want nothing, and allow nothing': judged({}, { desiredHealthy: 0, expectedPods: 0 }),
    'without a selector expect no pods': judged(
      { selector: undefined, maxUnavailable: 1 },
      { desiredHealthy: 0, expectedPods: 0 },
    ),
  },
};
