import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memcached } from '../test/fixtures.ts';
import type { Memcached } from './api/memcached.ts';
import { memcachedWebhook } from './webhook.ts';

type Spec = Partial<Memcached['spec']>;

/** What is said about making it, or about changing it to `after`. */
async function findings(before: Spec, after?: Spec): Promise<readonly string[]> {
  const object = memcached(after ?? before);
  const request = after === undefined ? { object } : { object, oldObject: memcached(before) };
  const found = (await memcachedWebhook.validate?.(request as never)) ?? [];
  return found.map((each) => ('warning' in each ? each.warning : `${each.field}: ${each.message}`));
}

const tls = { config: { extraArgs: ['-v', '--enable-ssl'] } };
const warmup = {
  workload: 'StatefulSet',
  rollout: { minReadySeconds: 60, warmup: { items: 80, timeoutSeconds: 600 } },
} as const;
const lacks = 'spec.config.extraArgs[1]: TLS needs memcached 1.5.13 or newer, and the image has 1.5.12';

const cases: readonly (readonly [what: string, before: Spec, after: Spec | undefined, said: readonly string[]])[] = [
  ['a simple one', {}, undefined, []],
  ['a version that lacks something', { image: 'memcached:1.5.12', ...tls }, undefined, [lacks]],
  [
    'a version that nobody knows',
    { image: 'memcached:latest', ...tls },
    undefined,
    ['spec.config.extraArgs[1]: TLS needs memcached 1.5.13; spec.image does not say its version'],
  ],
  [
    'servers that cannot be asked',
    { ...warmup, ...tls },
    undefined,
    ['spec.rollout.warmup: servers with TLS or a login tell no stats; each is waited for until the timeout'],
  ],
  [
    'a login',
    { ...warmup, config: { extraArgs: ['-Y', '/auth'] } },
    undefined,
    ['spec.rollout.warmup: servers with TLS or a login tell no stats; each is waited for until the timeout'],
  ],
  ['another size', {}, { size: 5 }, []],
  ['nothing', { image: 'memcached:1.5.12', ...tls }, { image: 'memcached:1.5.12', ...tls }, []],
  [
    'the size of one that would be refused',
    { image: 'memcached:1.5.12', ...tls },
    { image: 'memcached:1.5.12', ...tls, size: 5 },
    [],
  ],
  [
    'an image that lacks something',
    tls,
    { image: 'memcached:1.5.12', ...tls },
    [lacks, 'all 3 servers are replaced, each starts empty: spec.image'],
  ],
  [
    'another workload',
    { workload: 'StatefulSet' },
    { workload: 'Deployment' },
    ['spec.workload: it is StatefulSet, and cannot be changed; in v1alpha1, keep the annotations of what you replace'],
  ],
  ['memory', {}, { memory: '128Mi' }, ['all 3 servers are replaced, each starts empty: spec.memory']],
  [
    'many fields',
    {},
    { image: 'x', memory: '1Gi', config: { threads: 2 }, pod: { labels: { a: 'b' }, annotations: { a: 'b' } } },
    ['all 3 servers are replaced, each starts empty: spec.image, spec.memory, spec.config and 2 more'],
  ],
  ['one server', { size: 1 }, { size: 1, image: 'x' }, ['the server is replaced and starts empty: spec.image']],
  [
    'while paused',
    {},
    { image: 'x', paused: true },
    ['all 3 servers are replaced, each starts empty once spec.paused is false: spec.image'],
  ],
  [
    'by hand',
    {},
    { image: 'x', updatePolicy: 'Manual' },
    ['all 3 servers are replaced, each starts empty once you let it go, as status.change says: spec.image'],
  ],
];

for (const [what, before, after, said] of cases) {
  test(`a user is told: ${what}`, async () => assert.deepEqual(await findings(before, after), said));
}

test('a webhook that is down is in nobody’s way', () => {
  assert.equal(memcachedWebhook.failurePolicy, 'Ignore');
});
