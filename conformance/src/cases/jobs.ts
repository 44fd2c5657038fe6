/** Jobs: defaults, the selector that the server generates, what is refused, what may change, and their status. */
import type { Area, Proof } from '../case.ts';
import type { Body, Fields } from '../exchange.ts';
import { age, exactly, including, uid } from '../match.ts';
import { jobs as jobsIn } from '../paths.ts';
import { badRequest, causeOf, invalid } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const dryRun = { query: { dryRun: 'All' } };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const podSpec = {
  restartPolicy: 'Never',
  containers: [{ name: 'main', image: 'example.com/main:1' }],
};

/** No controller takes it, so that it stays as it was written. */
const job = (spec: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', ...metadata },
  spec: { managedBy: 'example.com/conformance', template: { spec: podSpec }, ...spec },
});

/** A spec that is refused, with causes as the server lists them. */
const refused =
  (spec: Fields, ...causes: readonly string[]): Proof =>
  async (t) => {
    const answer = await t.post(jobsIn(await t.namespace()), job(spec), dryRun);
    answer.refuses(invalid('Job.batch', 'a', ...causes.map(causeOf)));
  };

/** A Job, and its path. */
async function made(t: Trial, spec: Fields = {}): Promise<{ readonly path: string; readonly created: Body }> {
  const path = jobsIn(await t.namespace());
  return { path: `${path}/a`, created: (await t.post(path, job(spec))).is(201) };
}

/** A change of the spec that is refused. */
const unchangeable =
  (before: Fields, change: Fields, ...causes: readonly string[]): Proof =>
  async (t) => {
    const { path } = await made(t, before);
    (await t.mergePatch(path, { spec: change })).refuses(invalid('Job.batch', 'a', ...causes.map(causeOf)));
  };

const time = '2026-01-01T00:00:00Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastProbeTime: time,
  lastTransitionTime: time,
  reason: 'R',
  message: 'm',
});

/** A status that is refused after another that is not. */
const refusedStatus =
  (spec: Fields, before: Fields | undefined, status: Fields, ...causes: readonly string[]): Proof =>
  async (t) => {
    const { path } = await made(t, spec);
    if (before) (await t.mergePatch(`${path}/status`, { status: before })).is(200);
    (await t.mergePatch(`${path}/status`, { status })).refuses(invalid('Job.batch', 'a', ...causes.map(causeOf)));
  };

const zero = 'must be greater than or equal to 0';
const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
const exitCodes = (values: readonly number[], more: Fields = {}) => ({
  podFailurePolicy: {
    rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values, ...more } }],
  },
});
const complete = {
  startTime: time,
  completionTime: time,
  conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
};

export const jobs: Area = {
  name: 'jobs',
  proves: ['B2'],
  cases: {
    'that say nothing at all are invalid': async (t) => {
      (await t.post(jobsIn(await t.namespace()), '{}', dryRun)).is(422, {
        details: { causes: including({ field: 'metadata.name' }, { field: 'spec.template.spec.containers' }) },
      });
    },

    'have one completion, six failures and a selector by their uid': async (t) => {
      const { created } = await made(t);
      const id = created.metadata.uid;
      const labels = {
        'batch.kubernetes.io/controller-uid': id,
        'batch.kubernetes.io/job-name': 'a',
        'controller-uid': id,
        'job-name': 'a',
      };
      const answer = await t.get(`${jobsIn(String(created.metadata.namespace))}/a`);
      answer.is(200, {
        metadata: { uid, generation: 1, labels: exactly(labels) },
        spec: {
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          completions: 1,
          parallelism: 1,
          manualSelector: false,
          podReplacementPolicy: 'TerminatingOrFailed',
          suspend: false,
          selector: exactly({ matchLabels: { 'batch.kubernetes.io/controller-uid': id } }),
          template: { metadata: { labels: exactly(labels) } },
        },
        status: exactly({}),
      });
    },

    'have no completions by default if they say how many run at once': async (t) => {
      const { created } = await made(t, { parallelism: 2 });
      (await t.get(`${jobsIn(String(created.metadata.namespace))}/a`)).is(200, {
        spec: { parallelism: 2, completions: undefined },
      });
    },

    'have other defaults with a limit for each index, or with a failure policy': async (t) => {
      const path = jobsIn(await t.namespace());
      (await t.post(path, job({ ...indexed, backoffLimitPerIndex: 1 }), dryRun)).is(201, {
        spec: { backoffLimit: 2147483647 },
      });
      const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
      (await t.post(path, job({ podFailurePolicy: { rules } }), dryRun)).is(201, {
        spec: {
          podReplacementPolicy: 'Failed',
          podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
        },
      });
    },

    'have the labels of their pods, unless they have some': async (t) => {
      const path = jobsIn(await t.namespace());
      const template = { metadata: { labels: { app: 'x' } }, spec: podSpec };
      (await t.post(path, job({ template }), dryRun)).is(201, {
        metadata: { labels: { app: 'x', 'job-name': 'a' } },
      });
      (await t.post(path, job({ template }, { labels: { app: 'x' } }), dryRun)).is(201, {
        metadata: { labels: exactly({ app: 'x' }) },
        spec: { template: { metadata: { labels: { app: 'x', 'job-name': 'a' } } } },
      });
    },

    'may have a selector of their own': async (t) => {
      const labels = { app: 'x' };
      const template = { metadata: { labels }, spec: podSpec };
      const body = job({ manualSelector: true, selector: { matchLabels: labels }, template });
      (await t.post(jobsIn(await t.namespace()), body, dryRun)).is(201, {
        metadata: { labels: exactly(labels) },
        spec: { selector: exactly({ matchLabels: labels }), template: { metadata: { labels: exactly(labels) } } },
      });
    },

    'are warned of a name that is no label': async (t) => {
      const answer = await t.post(jobsIn(await t.namespace()), job({}, { name: 'a.b' }), dryRun);
      answer.is(201);
      answer.has(
        'warning',
        '299 - "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"',
      );
    },

    'need a selector if it is theirs to say': refused(
      { manualSelector: true },
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ),

    'do not run for ever': refused(
      { template: { spec: { containers: podSpec.containers } } },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ),

    'count from zero': refused(
      { parallelism: -1, completions: -2, activeDeadlineSeconds: -3, backoffLimit: -4, ttlSecondsAfterFinished: -5 },
      `spec.parallelism: Invalid value: -1: ${zero}`,
      `spec.completions: Invalid value: -2: ${zero}`,
      `spec.activeDeadlineSeconds: Invalid value: -3: ${zero}`,
      `spec.backoffLimit: Invalid value: -4: ${zero}`,
      `spec.ttlSecondsAfterFinished: Invalid value: -5: ${zero}`,
    ),

    'know two modes of completion': refused(
      { completionMode: 'Some' },
      'spec.completionMode: Unsupported value: "Some": supported values: "NonIndexed", "Indexed"',
    ),

    'have completions if they have indexes': refused(
      { completionMode: 'Indexed', parallelism: 1 },
      'spec.completions: Required value: when completion mode is Indexed',
    ),

    'have limits for indexes only with indexes': refused(
      { backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ),

    'have no more failed indexes than completions, and a limit for each': refused(
      { ...indexed, maxFailedIndexes: 4 },
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions',
    ),

    'have bounds for very many indexes': refused(
      { completionMode: 'Indexed', completions: 200000, parallelism: 20000, backoffLimitPerIndex: 1 },
      'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
      'spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ),

    'name another controller by a path': refused(
      { managedBy: 'me' },
      'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")',
    ),

    'have rules for failures that can be understood': refused(
      {
        podFailurePolicy: {
          rules: [
            { action: 'Explode', onPodConditions: [{ type: 'a b' }] },
            { action: 'FailIndex', onExitCodes: { operator: 'Near', values: [] } },
            { action: 'Count' },
            {
              action: 'Count',
              onExitCodes: { containerName: 'other', operator: 'In', values: [2, 1, 1, 0] },
              onPodConditions: [{ type: 'a', status: 'Maybe' }],
            },
          ],
        },
      },
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Explode": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.podFailurePolicy.rules[1].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      'spec.podFailurePolicy.rules[1].onExitCodes.operator: Unsupported value: "Near": supported values: "In", "NotIn"',
      'spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: []: at least one value is required',
      'spec.podFailurePolicy.rules[2]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.podFailurePolicy.rules[3].onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template',
      'spec.podFailurePolicy.rules[3].onExitCodes.values[2]: Duplicate value: 1',
      'spec.podFailurePolicy.rules[3].onExitCodes.values[3]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[3].onExitCodes.values: Invalid value: [2,1,1,0]: must be ordered',
      'spec.podFailurePolicy.rules[3].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'spec.podFailurePolicy.rules[3]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
    ),

    'have a failure policy and no containers at all': refused(
      {
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [1] } }],
        },
        template: { spec: { restartPolicy: 'Never', containers: null, initContainers: null } },
      },
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "main": must be one of the container or initContainer names in the pod template',
      'spec.template.spec.containers: Required value',
    ),

    'restart no container in place with a failure policy': refused(
      { ...exitCodes([1]), template: { spec: { ...podSpec, restartPolicy: 'OnFailure' } } },
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ),

    'replace only failed pods with a failure policy': refused(
      { ...exitCodes([1]), podReplacementPolicy: 'TerminatingOrFailed' },
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ),

    'succeed early only with indexes': refused(
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ),

    'succeed by rules that can be met': refused(
      {
        ...indexed,
        successPolicy: {
          rules: [
            {},
            { succeededCount: 4 },
            { succeededIndexes: '2-1' },
            { succeededIndexes: '0,5' },
            { succeededIndexes: '1-2-3' },
            { succeededIndexes: 'x' },
            { succeededIndexes: '0-1', succeededCount: 3 },
          ],
        },
      },
      'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
      'spec.successPolicy.rules[1].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)',
      'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "2-1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      'spec.successPolicy.rules[3].succeededIndexes: Invalid value: "0,5": error parsing succeededIndexes: too large index: "5"',
      'spec.successPolicy.rules[4].succeededIndexes: Invalid value: "1-2-3": error parsing succeededIndexes: the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
      'spec.successPolicy.rules[5].succeededIndexes: Invalid value: "x": error parsing succeededIndexes: cannot convert string to integer for index: "x"',
      'spec.successPolicy.rules[6].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
    ),

    'have names with room for the indexes of their hosts': async (t) => {
      const name = 'n'.repeat(62);
      (await t.post(jobsIn(await t.namespace()), job(indexed, { name }), dryRun)).refuses(
        invalid(
          'Job.batch',
          name,
          causeOf(
            `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-2`,
          ),
        ),
      );
    },

    'keep how many completions they need': unchangeable(
      {},
      { completions: 2 },
      'spec.completions: Invalid value: 2: field is immutable',
    ),

    'change their size with indexes only as a whole': unchangeable(
      indexed,
      { completions: 4 },
      'spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism',
    ),

    'keep mode, limits and policies': unchangeable(
      indexed,
      {
        completionMode: 'NonIndexed',
        managedBy: 'example.com/b',
        backoffLimitPerIndex: null,
        ...exitCodes([1]),
        podReplacementPolicy: 'Failed',
      },
      'spec.completionMode: Invalid value: "NonIndexed": field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailJob","OnExitCodes":{"ContainerName":null,"Operator":"In","Values":[1]},"OnPodConditions":null}]}: field is immutable',
      'spec.managedBy: Invalid value: "example.com/b": field is immutable',
    ),

    'keep their template': async (t) => {
      const { path } = await made(t);
      const answer = await t.mergePatch(path, { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } });
      const { message } = answer.is(422, { reason: 'Invalid' });
      answer.judge(message, /^Job\.batch "a" is invalid: spec\.template: Invalid value: .*: field is immutable$/s);
    },

    'may be sent elsewhere, and need something else, while they rest': async (t) => {
      const { path } = await made(t, { suspend: true });
      const resources = { requests: { cpu: '1' } };
      const spec = {
        nodeSelector: { a: 'b' },
        tolerations: [{ key: 'a', operator: 'Exists' }],
        containers: [{ name: 'main', resources }],
      };
      (await t.strategicPatch(path, { spec: { template: { spec } } })).is(200, {
        metadata: { generation: 2 },
        spec: { template: { spec: { nodeSelector: { a: 'b' }, containers: [{ resources }] } } },
      });
      const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'example.com/main:2' }] } } } };
      const answer = await t.strategicPatch(path, image);
      const { message } = answer.is(422, { reason: 'Invalid' });
      answer.judge(
        message,
        /^Job\.batch "a" is invalid: spec\.template\.spec: Invalid value: .*: field is immutable$/s,
      );
    },

    'leave their pods alone when they are deleted without a word on it': async (t) => {
      const { path } = await made(t);
      (await t.delete(path)).is(200, { metadata: { finalizers: ['orphan'] } });
    },

    'are selected by how many have succeeded': async (t) => {
      const { path } = await made(t);
      const collection = path.slice(0, -2);
      (await t.get(collection, { query: { fieldSelector: 'status.successful=0' } })).is(200, {
        items: [{ metadata: { name: 'a' } }],
      });
      (await t.get(collection, { query: { fieldSelector: 'status.failed=0' } })).refuses(
        badRequest('field label "status.failed" not supported for Job'),
      );
    },

    'are shown with their progress': async (t) => {
      const { path } = await made(t);
      const columns = ['Name', 'Status', 'Completions', 'Duration', 'Age', 'Containers', 'Images', 'Selector'];
      const shown = async (...cells: readonly unknown[]) =>
        (await t.get(path, { headers: table })).is(200, {
          columnDefinitions: columns.map((name) => ({ name })),
          rows: [
            { cells: ['a', ...cells, age, 'main', 'example.com/main:1', /^batch\.kubernetes\.io\/controller-uid=/] },
          ],
        });
      await shown('Running', '0/1', '');
      (await t.mergePatch(`${path}/status`, { status: { ...complete, succeeded: 1 } })).is(200);
      await shown('Complete', '1/1', '0s');
    },

    'have times that fit their end': refusedStatus(
      {},
      undefined,
      { conditions: [condition('Complete')], active: 1, ready: 2, terminating: 1 },
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.startTime: Required value: startTime is required for finished job',
      'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
    ),

    'end in one way': refusedStatus(
      {},
      undefined,
      {
        ...complete,
        conditions: [...complete.conditions, condition('FailureTarget'), condition('Failed')],
      },
      'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
      'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ),

    'end once': refusedStatus(
      {},
      { ...complete, succeeded: 1 },
      { conditions: null, completionTime: null, succeeded: 0 },
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ),

    'have indexes in their status as they have them in their spec': refusedStatus(
      {},
      undefined,
      { completedIndexes: '0', failedIndexes: '0' },
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.failedIndexes: Invalid value: "0": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      'status.failedIndexes: Invalid value: "0": failedIndexes and completedIndexes overlap at index: 0',
    ),

    'count their pods from zero': refusedStatus(
      {},
      undefined,
      { active: -1 },
      'status.active: Invalid value: -1: must be greater than or equal to 0',
    ),

    'count each pod once': refusedStatus(
      {},
      undefined,
      { uncountedTerminatedPods: { succeeded: ['x', ''], failed: ['x'] } },
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "x"',
    ),

    'start once, unless they rested': refusedStatus(
      {},
      { startTime: time },
      { startTime: '2026-01-02T00:00:00Z' },
      'status.startTime: Invalid value: "2026-01-02T00:00:00Z": field is immutable for unsuspended job once set',
    ),
  },
};
