/** LimitRanges: what they add to pods, and what they refuse. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { exactly } from '../match.ts';
import { pod } from '../objects.ts';
import { pods, serviceAccounts } from '../paths.ts';
import type { Trial } from '../trial.ts';

const limitRanges = (namespace: string) => `/api/v1/namespaces/${namespace}/limitranges`;
const claims = (namespace: string) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const dryRun = { query: { dryRun: 'All' } };

const container = (resources: Fields, name = 'main') => ({ name, image: 'example.com/main:1', resources });

/** A namespace in which a pod as it comes is changed or refused: then the server has heard of the range. */
async function ranged(t: Trial, limit: Fields): Promise<string> {
  // Not one that others get next: Kubernetes remembers the ranges of a namespace for half a minute.
  const namespace = await t.freshNamespace();
  await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
  (await t.post(limitRanges(namespace), { metadata: { name: 'r' }, spec: { limits: [limit] } })).is(201);
  return namespace;
}

const refuses = (limit: Fields, containers: readonly Fields[], why: string) => async (t: Trial) => {
  const namespace = await ranged(t, limit);
  await t.eventually(async () =>
    (await t.post(pods(namespace), pod('a', { containers }), dryRun)).refuses({
      code: 403,
      reason: 'Forbidden',
      message: `pods "a" is forbidden: ${why}`,
      details: { name: 'a', kind: 'pods' },
    }),
  );
};

export const limitRangesArea: Area = {
  name: 'limit ranges',
  proves: ['Q2'],
  cases: {
    'a pod without containers is invalid there, as anywhere': async (t) => {
      const namespace = await ranged(t, { type: 'Container', default: { cpu: '1' } });
      const { metadata, spec } = pod('a', { containers: [container({})] });
      await t.eventually(async () =>
        (await t.post(pods(namespace), { metadata, spec }, dryRun)).is(201, {
          spec: { containers: [{ resources: { limits: { cpu: '1' } } }] },
        }),
      );
      const { containers: _, ...rest } = spec;
      (await t.post(pods(namespace), { metadata, spec: rest }, dryRun)).is(422, {
        details: { causes: [{ field: 'spec.containers' }] },
      });
      (await t.post(pods(namespace), { metadata }, dryRun)).is(422);
    },

    'a range of containers is completed: from maximum to limit to request': async (t) => {
      const limit = {
        type: 'Container',
        max: { cpu: '2', memory: '1Gi' },
        default: { cpu: '1' },
        min: { cpu: '100m' },
      };
      const answer = await t.post(
        limitRanges(await t.freshNamespace()),
        { metadata: { name: 'r' }, spec: { limits: [limit] } },
        dryRun,
      );
      answer.is(201, {
        spec: {
          limits: [
            exactly({
              ...limit,
              default: { cpu: '1', memory: '1Gi' },
              defaultRequest: { cpu: '1', memory: '1Gi' },
            }),
          ],
        },
      });
    },

    'a container gets what it does not say, and the pod tells': async (t) => {
      const limit = { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } };
      const namespace = await ranged(t, limit);
      const containers = [container({}, 'one'), container({ limits: { cpu: '2' } }, 'two')];
      const initContainers = [container({}, 'init')];
      await t.eventually(async () =>
        (await t.post(pods(namespace), pod('a', { containers, initContainers }), dryRun)).is(201, {
          metadata: {
            annotations: {
              'kubernetes.io/limit-ranger':
                'LimitRanger plugin set: cpu, memory request for container one; cpu, memory limit for container one; memory request for container two; memory limit for container two; cpu, memory request for init container init; cpu, memory limit for init container init',
            },
          },
          spec: {
            containers: [
              { resources: exactly({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } }) },
              { resources: exactly({ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '2', memory: '1Gi' } }) },
            ],
            initContainers: [{ resources: { requests: { cpu: '500m' } } }],
          },
        }),
      );
    },

    'below the minimum': refuses(
      { type: 'Container', min: { cpu: '100m' } },
      [container({ requests: { cpu: '50m' } })],
      'minimum cpu usage per Container is 100m, but request is 50m',
    ),
    'below the minimum by not saying': refuses(
      { type: 'Container', min: { memory: '1Mi' } },
      [container({ requests: { cpu: '50m' }, limits: { memory: '1k' } })],
      'minimum memory usage per Container is 1Mi, but request is 1k',
    ),
    'above the maximum': refuses(
      { type: 'Container', max: { memory: '1Gi' } },
      [container({ limits: { memory: '2Gi' }, requests: { memory: '1Mi' } })],
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    ),
    'a limit too far above the request': refuses(
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [container({ limits: { cpu: '3' }, requests: { cpu: '1' } })],
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ),
    'a ratio of nothing': refuses(
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [container({ requests: { cpu: '1' } })],
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ),
    'all containers of a pod together': refuses(
      { type: 'Pod', max: { cpu: '1' } },
      [container({ limits: { cpu: '600m' } }, 'one'), container({ limits: { cpu: '600m' } }, 'two')],
      'maximum cpu usage per Pod is 1, but limit is 1200m',
    ),
    'a pod without limits': refuses(
      { type: 'Pod', max: { cpu: '1' } },
      [container({})],
      'maximum cpu usage per Pod is 1.  No limit is specified',
    ),
    'several reasons': refuses(
      { type: 'Pod', min: { cpu: '1' }, max: { memory: '1Mi' } },
      [container({ requests: { cpu: '1m' }, limits: { memory: '2Mi' } })],
      '[minimum cpu usage per Pod is 1, but request is 1m, maximum memory usage per Pod is 1Mi, but limit is 2Mi]',
    ),

    'claims: smallest and largest': async (t) => {
      const namespace = await ranged(t, {
        type: 'PersistentVolumeClaim',
        min: { storage: '1Gi' },
        max: { storage: '2Gi' },
      });
      const claim = (storage: string) => ({
        metadata: { name: 'a' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      });
      for (const [storage, why] of [
        ['1Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
        ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
      ] as const) {
        await t.eventually(async () =>
          (await t.post(claims(namespace), claim(storage), dryRun)).refuses({
            code: 403,
            reason: 'Forbidden',
            message: `persistentvolumeclaims "a" is forbidden: ${why}`,
            details: { name: 'a', kind: 'persistentvolumeclaims' },
          }),
        );
      }
    },

    'a pod that is there already is left alone': async (t) => {
      const namespace = await t.freshNamespace();
      await t.post(serviceAccounts(namespace), { metadata: { name: 'default' } });
      (await t.post(pods(namespace), pod('a'))).is(201);
      const limits = [{ type: 'Container', min: { cpu: '1' } }];
      (await t.post(limitRanges(namespace), { metadata: { name: 'r' }, spec: { limits } })).is(201);
      (await t.mergePatch(`${pods(namespace)}/a`, { metadata: { labels: { a: 'b' } } })).is(200);
    },
  },
};
