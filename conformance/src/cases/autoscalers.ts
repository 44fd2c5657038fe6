/** HorizontalPodAutoscalers: two versions of one object, and what becomes of what they leave open. */
import type { Area } from '../case.ts';
import { age, exactly, including } from '../match.ts';
import { deployment } from '../objects.ts';
import { deployments } from '../paths.ts';
import { invalid } from '../refusals.ts';

const inVersion = (version: string) => (namespace: string) =>
  `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
const v1 = inVersion('v1');
const v2 = inVersion('v2');
const dryRun = { query: { dryRun: 'All' } };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const metadata = { name: 'a' };
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nobody' };
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};
const queue = {
  type: 'External',
  external: {
    metric: { name: 'queue', selector: { matchLabels: { a: 'b' } } },
    target: { type: 'AverageValue', averageValue: '3' },
  },
};
const hits = {
  type: 'Object',
  object: {
    metric: { name: 'hits' },
    describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
    target: { type: 'Value', value: '5' },
  },
};
const annotation = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`;
const faster = { type: 'Pods', value: 4, periodSeconds: 15 };
const doubled = { type: 'Percent', value: 100, periodSeconds: 15 };

const problem = (reason: string) => (field: string, message: string) => ({
  reason: `FieldValue${reason}`,
  field,
  message,
});
const [required, wrong, unsupported, forbidden] = ['Required', 'Invalid', 'NotSupported', 'Forbidden'].map(problem) as [
  ReturnType<typeof problem>,
  ReturnType<typeof problem>,
  ReturnType<typeof problem>,
  ReturnType<typeof problem>,
];

export const autoscalers: Area = {
  name: 'autoscalers',
  proves: ['H1'],
  cases: {
    'v2 is completed': async (t) => {
      const path = v2(await t.namespace());
      (await t.post(path, { metadata, spec: { scaleTargetRef, maxReplicas: 3 } }, dryRun)).is(201, {
        metadata: { generation: undefined },
        spec: exactly({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu(80)] }),
        status: exactly({ desiredReplicas: 0, currentMetrics: null }),
      });
    },

    'v1 is completed': async (t) => {
      const path = v1(await t.namespace());
      (await t.post(path, { metadata, spec: { scaleTargetRef, maxReplicas: 3 } }, dryRun)).is(201, {
        spec: exactly({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 }),
        status: exactly({ currentReplicas: 0, desiredReplicas: 0 }),
      });
    },

    'behaviour is completed where there is any': async (t) => {
      const path = v2(await t.namespace());
      const behavior = { scaleUp: { stabilizationWindowSeconds: 5 } };
      (await t.post(path, { metadata, spec: { scaleTargetRef, maxReplicas: 3, behavior } }, dryRun)).is(201, {
        spec: {
          behavior: exactly({
            scaleUp: { stabilizationWindowSeconds: 5, selectPolicy: 'Max', policies: [faster, doubled] },
            scaleDown: { selectPolicy: 'Max', policies: [doubled] },
          }),
        },
      });
    },

    'what is written as v1 is read as v2, and who wrote it is known': async (t) => {
      const namespace = await t.namespace();
      const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 };
      (await t.post(v1(namespace), { metadata, spec })).is(201);
      (await t.get(`${v2(namespace)}/a`)).is(200, {
        apiVersion: 'autoscaling/v2',
        metadata: { managedFields: including({ apiVersion: 'autoscaling/v1', operation: 'Update' }) },
        spec: exactly({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu(50)] }),
      });
      (await t.mergePatch(`${v2(namespace)}/a`, { spec: { maxReplicas: 4 } })).is(200);
      (await t.get(`${v1(namespace)}/a`)).is(200, { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 4 } });
    },

    'what v1 has no field for is in annotations, and comes back from there': async (t) => {
      const namespace = await t.namespace();
      const behavior = { scaleUp: { stabilizationWindowSeconds: 5 } };
      const metrics = [cpu(70), memory, hits, queue];
      (await t.post(v2(namespace), { metadata, spec: { scaleTargetRef, maxReplicas: 3, metrics, behavior } })).is(201);
      const shown = await t.get(`${v1(namespace)}/a`);
      const { metadata: own } = shown.is(200, { spec: { targetCPUUtilizationPercentage: 70 } });
      const annotations = own.annotations as Record<string, string>;
      shown.judge(JSON.parse(annotations[annotation('metrics')] ?? 'null'), [
        exactly({ type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } }),
        exactly({
          type: 'Object',
          object: { target: hits.object.describedObject, metricName: 'hits', targetValue: '5' },
        }),
        exactly({
          type: 'External',
          external: { metricName: 'queue', metricSelector: { matchLabels: { a: 'b' } }, targetAverageValue: '3' },
        }),
      ]);
      shown.judge(JSON.parse(annotations[annotation('behavior')] ?? 'null'), {
        ScaleUp: {
          StabilizationWindowSeconds: 5,
          SelectPolicy: 'Max',
          Policies: [{ Type: 'Pods', Value: 4, PeriodSeconds: 15 }, { Type: 'Percent' }],
          Tolerance: null,
        },
      });
      (await t.mergePatch(`${v1(namespace)}/a`, { spec: { targetCPUUtilizationPercentage: 60 } })).is(200);
      (await t.get(`${v2(namespace)}/a`)).is(200, {
        metadata: { annotations: undefined },
        spec: {
          metrics: [memory, hits, queue, cpu(60)].map(exactly),
          behavior: { scaleUp: { policies: [faster, doubled] } },
        },
      });
    },

    'a table shows both versions alike': async (t) => {
      const namespace = await t.namespace();
      const metrics = [cpu(70), memory, queue];
      (await t.post(v2(namespace), { metadata, spec: { scaleTargetRef, maxReplicas: 3, metrics } })).is(201);
      const columns = ['Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'];
      const targets = 'cpu: <unknown>/70%, memory: <unknown>/1Gi + 1 more...';
      for (const path of [v1(namespace), v2(namespace)]) {
        (await t.get(path, { headers: table })).is(200, {
          columnDefinitions: columns.map((name) => ({ name, type: 'string', priority: 0 })),
          rows: [{ cells: exactly(['a', 'Deployment/nobody', targets, '1', 3, 0, age]) }],
        });
      }
    },

    'what is wrong is named, in the words of v2': async (t) => {
      const namespace = await t.namespace();
      const spec = {
        scaleTargetRef: {},
        minReplicas: 0,
        maxReplicas: 0,
        metrics: [
          { type: 'Resource' },
          { type: 'Resource', resource: { name: '', target: {} } },
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } },
        ],
        behavior: {
          scaleUp: { stabilizationWindowSeconds: -1, policies: [{ type: 'X', value: 0, periodSeconds: 0 }] },
        },
      };
      const target = 'spec.metrics[1].resource.target';
      const policy = 'spec.behavior.scaleUp.policies[0]';
      (await t.post(v2(namespace), { metadata, spec })).refuses(
        invalid(
          'HorizontalPodAutoscaler.autoscaling',
          'a',
          wrong('spec.minReplicas', 'Invalid value: 0: must be greater than or equal to 1'),
          required('spec.maxReplicas', 'Required value: must be set and greater than 0'),
          required('spec.scaleTargetRef.kind', 'Required value'),
          required('spec.scaleTargetRef.name', 'Required value'),
          wrong('spec.scaleTargetRef.apiVersion', 'Invalid value: "": apiVersion must specify API group'),
          required('spec.metrics[0].resource', 'Required value: must populate information for the given metric source'),
          required('spec.metrics[1].resource.name', 'Required value: must specify a resource name'),
          required(`${target}.type`, 'Required value: must specify a metric target type'),
          wrong(`${target}.type`, 'Invalid value: "": must be either Utilization, Value, or AverageValue'),
          required(
            `${target}.averageUtilization`,
            'Required value: must set either a target raw value or a target utilization',
          ),
          wrong('spec.metrics[2].resource.target.averageUtilization', 'Invalid value: 0: must be greater than 0'),
          forbidden(
            'spec.metrics',
            'Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
          ),
          wrong(
            'spec.behavior.scaleUp.stabilizationWindowSeconds',
            'Invalid value: -1: must be greater than or equal to zero',
          ),
          unsupported(`${policy}.type`, 'Unsupported value: "X": supported values: "Percent", "Pods"'),
          wrong(`${policy}.value`, 'Invalid value: 0: must be greater than zero'),
          wrong(`${policy}.periodSeconds`, 'Invalid value: 0: must be greater than zero'),
        ),
      );
      const old = { scaleTargetRef, maxReplicas: 1, minReplicas: 3, targetCPUUtilizationPercentage: 0 };
      (await t.post(v1(namespace), { metadata, spec: old })).refuses(
        invalid(
          'HorizontalPodAutoscaler.autoscaling',
          'a',
          wrong('spec.maxReplicas', 'Invalid value: 1: must be greater than or equal to `minReplicas`'),
          wrong('spec.metrics[0].resource.target.averageUtilization', 'Invalid value: 0: must be greater than 0'),
        ),
      );
    },

    'whom nobody can find is not scaled': {
      needs: 'controllers',
      async proof(t) {
        const namespace = await t.namespace();
        (await t.post(v2(namespace), { metadata, spec: { scaleTargetRef, maxReplicas: 3 } })).is(201);
        await t.eventually(async () => {
          (await t.get(`${v2(namespace)}/a`)).is(200, {
            status: {
              conditions: [
                {
                  type: 'AbleToScale',
                  status: 'False',
                  reason: 'FailedGetScale',
                  message:
                    'the HPA controller was unable to get the target\'s current scale: deployments.apps "nobody" not found',
                },
              ],
            },
          });
          (await t.get(`/api/v1/namespaces/${namespace}/events`)).is(200, {
            items: including({
              type: 'Warning',
              reason: 'FailedGetScale',
              message: 'deployments.apps "nobody" not found',
            }),
          });
        });
      },
    },

    'a target of no pods is left alone': {
      needs: 'controllers',
      async proof(t) {
        const namespace = await t.namespace();
        (await t.post(deployments(namespace), deployment('nobody', { replicas: 0 }))).is(201);
        (await t.post(v2(namespace), { metadata, spec: { scaleTargetRef, maxReplicas: 3 } })).is(201);
        await t.eventually(
          async () =>
            void (await t.get(`${v2(namespace)}/a`)).is(200, {
              status: {
                desiredReplicas: 0,
                currentMetrics: null,
                conditions: including(
                  {
                    type: 'AbleToScale',
                    status: 'True',
                    reason: 'SucceededGetScale',
                    message: "the HPA controller was able to get the target's current scale",
                  },
                  {
                    type: 'ScalingActive',
                    status: 'False',
                    reason: 'ScalingDisabled',
                    message: 'scaling is disabled since the replica count of the target is zero',
                  },
                ),
              },
            }),
        );
      },
    },

    'more than the most is brought down without a look at metrics': {
      needs: 'controllers',
      async proof(t) {
        const namespace = await t.namespace();
        (await t.post(deployments(namespace), deployment('nobody', { replicas: 5 }))).is(201);
        (await t.post(v2(namespace), { metadata, spec: { scaleTargetRef, maxReplicas: 3 } })).is(201);
        await t.eventually(async () => {
          (await t.get(`${deployments(namespace)}/nobody`)).is(200, { spec: { replicas: 3 } });
          (await t.get(`/api/v1/namespaces/${namespace}/events`)).is(200, {
            items: including({
              type: 'Normal',
              reason: 'SuccessfulRescale',
              message: 'New size: 3; reason: Current number of replicas above Spec.MaxReplicas',
            }),
          });
        });
      },
    },
  },
};
