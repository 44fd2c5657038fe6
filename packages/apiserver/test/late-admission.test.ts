import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attributes, Operation } from '../src/admit/attributes.ts';
import type { LateAdmitter } from '../src/admit/late-admission.ts';
import { compose } from '../src/composition/compose.ts';
import { withMetadata } from '../src/object.ts';
import { administrator } from '../src/request/user.ts';
import { handleRequest } from '../src/route/handle-request.ts';
import { inProcessTransport } from '../src/serving/in-process.ts';
import { StatusError } from '../src/status.ts';
import { createObject } from '../src/write/create.ts';
import { configMap, configMaps, ManualClock, seededRandom, Talk } from './fixtures.ts';

/** A server whose ConfigMaps an admitter wants to see, and that admitter: it answers when `during` has. */
function start(operations: readonly Operation[], during: (review: Attributes) => Promise<void>) {
  const reviews: Attributes[] = [];
  const asked = async (review: Attributes) => {
    reviews.push(review);
    await during(review);
  };
  const admitter: LateAdmitter = {
    handles: ({ resource }, operation) => resource.collection === 'configmaps' && operations.includes(operation),
    mutation: () => async (review) => {
      const { object } = review;
      if (object === undefined) return { object, mustRepeat: false };
      await asked(review);
      const annotations = { ...object.metadata.annotations, admitted: 'true' };
      return { object: withMetadata(object, { annotations }), mustRepeat: false };
    },
    validate: asked,
  };
  const composition = compose({
    clock: new ManualClock(),
    random: seededRandom(1),
    tokens: new Map(),
    admitters: [admitter],
  });
  const talk = new Talk(inProcessTransport((request) => handleRequest(composition, request), administrator));
  return { talk, reviews, composition };
}

/** Runs once, then never again. */
function once(action: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await action();
  };
}

for (const phase of ['mutate', 'validate'] as const) {
  test(`an object that changes while admitters ${phase} is read again, and both changes are there`, async () => {
    let asked = 0;
    const meddle = once(() => talk.mergePatch(`${configMaps}/a?fieldManager=other`, { data: { other: 'theirs' } }));
    const { talk, reviews } = start(['UPDATE'], async ({ write }) => {
      if (write.manager === 'other') return; // its own patch is admitted without more
      asked += 1;
      if (asked === (phase === 'mutate' ? 1 : 2)) await meddle();
    });
    await talk.ok('POST', configMaps, { ...configMap('a'), data: { mine: 'old' } });

    const patched = await talk.mergePatch(`${configMaps}/a`, { data: { mine: 'new' } });

    assert.deepEqual(patched.data, { mine: 'new', other: 'theirs' });
    assert.equal(patched.metadata.annotations.admitted, 'true');
    assert.deepEqual(await talk.ok('GET', `${configMaps}/a`), patched);
    const last = reviews.at(-1);
    assert.deepEqual(last?.old?.data, { mine: 'old', other: 'theirs' }, 'the admitters saw what was stored');
    assert.deepEqual(last?.object?.data, { mine: 'new', other: 'theirs' });
  });
}

test('an update that names a version loses to a write that came while it was admitted', async () => {
  const meddle = once(() => talk.mergePatch(`${configMaps}/a?fieldManager=other`, { data: { other: 'theirs' } }));
  const { talk } = start(['UPDATE'], async ({ write }) => {
    if (write.manager !== 'other') await meddle();
  });
  const created = await talk.ok('POST', configMaps, configMap('a'));

  const { status, body } = await talk.send('PUT', `${configMaps}/a`, { ...created, data: { mine: 'new' } });

  assert.equal(status, 409);
  assert.equal(body.reason, 'Conflict');
  assert.deepEqual((await talk.ok('GET', `${configMaps}/a`)).data, { key: '1', other: 'theirs' });
});

test('an object that is gone when its update is admitted is not found, and one that is applied is made anew', async () => {
  const { talk } = start(['UPDATE', 'CREATE'], async ({ operation, object }) => {
    if (operation === 'UPDATE') await talk.send('DELETE', `${configMaps}/${object?.metadata.name}`);
  });
  await talk.ok('POST', configMaps, configMap('a'));
  const patch = { 'content-type': 'application/merge-patch+json' };
  assert.equal((await talk.send('PATCH', `${configMaps}/a`, { data: { a: 'b' } }, patch)).status, 404);

  const { metadata } = await talk.ok('POST', configMaps, configMap('b'));
  const applied = await talk.send(
    'PATCH',
    `${configMaps}/b?fieldManager=me`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { a: 'b' } },
    { 'content-type': 'application/apply-patch+yaml' },
  );
  assert.equal(applied.status, 201);
  assert.notEqual(applied.body.metadata.uid, metadata.uid);
});

for (const operations of [['CREATE', 'UPDATE'], ['CREATE']] as const) {
  test(`an apply whose object is made by another while ${operations} is admitted changes that one`, async () => {
    const meddle = once(() => talk.ok('POST', `${configMaps}?fieldManager=other`, configMap('a')));
    const { talk, reviews } = start(operations, async ({ write }) => {
      if (write.manager !== 'other') await meddle();
    });

    const { status, body } = await talk.send(
      'PATCH',
      `${configMaps}/a?fieldManager=me`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { mine: 'new' } },
      { 'content-type': 'application/apply-patch+yaml' },
    );

    assert.equal(status, 200);
    assert.deepEqual(body.data, { key: '1', mine: 'new' });
    assert.equal(reviews.at(-1)?.operation, operations.at(-1));
  });
}

test('a creation that waits for admitters loses to one that does not', async () => {
  const meddle = once(() => talk.ok('POST', `${configMaps}?fieldManager=other`, configMap('a')));
  const { talk } = start(['CREATE'], async ({ write }) => {
    if (write.manager !== 'other') await meddle();
  });

  const { status, body } = await talk.send('POST', configMaps, configMap('a'));

  assert.equal(status, 409);
  assert.equal(body.reason, 'AlreadyExists');
});

test('a deletion is admitted as the object is when it goes', async () => {
  const meddle = once(() => talk.mergePatch(`${configMaps}/a`, { data: { other: 'theirs' } }));
  const { talk, reviews } = start(['DELETE'], meddle);
  await talk.ok('POST', configMaps, configMap('a'));

  await talk.ok('DELETE', `${configMaps}/a`);

  assert.deepEqual(
    reviews.map(({ old }) => old?.data),
    [{ key: '1' }, { key: '1', other: 'theirs' }],
  );
  assert.equal((await talk.send('GET', `${configMaps}/a`)).status, 404);
});

test('of a deletion that cannot be, no admitter is asked', async () => {
  const { talk, reviews } = start(['DELETE'], async () => {});
  await talk.ok('POST', configMaps, configMap('a'));

  const { status } = await talk.send('DELETE', `${configMaps}/a`, { preconditions: { uid: 'another' } });

  assert.equal(status, 409);
  assert.deepEqual(reviews, []);
});

test('of a collection, admitters are asked about each object, which the request does not name', async () => {
  const { talk, reviews } = start(['DELETE'], async () => {});
  await talk.ok('POST', configMaps, configMap('a'));
  await talk.ok('POST', configMaps, configMap('b'));

  await talk.ok('DELETE', configMaps);

  assert.deepEqual(
    reviews.map(({ name, old }) => [name, old?.metadata.name]),
    [
      ['', 'a'],
      ['', 'b'],
    ],
  );
});

test('what an admitter refuses is not stored', async () => {
  const { talk } = start(['CREATE', 'UPDATE', 'DELETE'], async () => {
    throw new StatusError(403, 'Forbidden', 'admission webhook "x" denied the request: no');
  });
  assert.equal((await talk.send('POST', configMaps, configMap('a'))).status, 403);
  assert.equal((await talk.send('GET', `${configMaps}/a`)).status, 404);
});

test('a write that no admitter wants is not waited for', async () => {
  const { composition } = start(['UPDATE'], async () => assert.fail('nothing is asked'));
  const { context } = composition;
  const resource = context.registry.find('', 'v1', 'configmaps');
  assert.ok(resource);
  const write = {
    user: administrator,
    verb: 'create',
    resource,
    subresource: '',
    namespace: 'default',
    name: '',
    manager: 'test',
    dryRun: false,
    warnings: [],
  };
  const metadata = { name: 'a', namespace: 'default' };
  const written = createObject(context, write, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  assert.ok(!(written instanceof Promise));
  assert.equal(context.store.collection('configmaps').get('default/a'), written.revision);
});
