import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, configMaps, type Started, seededRandom, startServer, Talk } from './fixtures.ts';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const minute = 60_000;

async function tokenOf({ talk }: Started, spec: object = {}): Promise<string> {
  return (await talk.ok('POST', `${accounts}/a/token`, { spec })).status.token;
}

const statusOf = async ({ talk }: Started, token: string): Promise<number> =>
  (await talk.send('GET', '/api', undefined, { authorization: `Bearer ${token}` })).status;

const problemOf = async ({ talk }: Started, token: string): Promise<string | undefined> =>
  (await talk.ok('POST', reviews, { spec: { token } })).status.error;

// A real server was asked for such a token, and took it until 60 seconds after its time, and not later.
test('a token holds until a minute after its time', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  await talk.ok('POST', accounts, { metadata: { name: 'a' } });
  const token = await tokenOf(started, { expirationSeconds: 600 });
  clock.advance(11 * minute);
  assert.equal(await statusOf(started, token), 200);
  clock.advance(1);
  assert.equal(await statusOf(started, token), 401);
  assert.equal(await problemOf(started, token), '[invalid bearer token, service account token has expired]');
});

test('a token holds until a minute after its account was marked for deletion', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  await talk.ok('POST', accounts, { metadata: { name: 'a', finalizers: ['example.com/wait'] } });
  const token = await tokenOf(started);
  await talk.ok('DELETE', `${accounts}/a`);
  clock.advance(minute);
  assert.equal(await statusOf(started, token), 200);
  clock.advance(1000);
  assert.equal(await problemOf(started, token), '[invalid bearer token, service account default/a has been deleted]');
});

test('a token of another server is unknown here', async () => {
  await using started = startServer();
  await using other = startServer({ random: seededRandom(2) });
  for (const { talk } of [started, other]) await talk.ok('POST', accounts, { metadata: { name: 'a' } });
  assert.equal(await statusOf(other, await tokenOf(started)), 401);
});

test('the same seed gives the same tokens, and requests without tokens do not depend on the key', async () => {
  const story = async (seed: number, withToken: boolean) => {
    await using started = startServer({ random: seededRandom(seed) });
    const { talk } = started;
    const first = await talk.ok('POST', accounts, { metadata: { name: 'a' } });
    return { uid: first.metadata.uid, token: withToken ? await tokenOf(started) : '' };
  };
  const [first, second] = [await story(7, true), await story(7, true)];
  assert.deepEqual(first, second);
  assert.notEqual((await story(8, true)).token, first.token);
  assert.equal((await story(7, false)).uid, first.uid);
});

async function grant(talk: Talk, name: string, subject: object, ...resources: string[]): Promise<void> {
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources }];
  await talk.ok('POST', `${rbac}/namespaces/default/roles`, { metadata: { name }, rules });
  await talk.ok('POST', `${rbac}/namespaces/default/rolebindings`, {
    metadata: { name },
    roleRef: { kind: 'Role', name },
    subjects: [subject],
  });
}

test('a user in the process has its rules, and they count from the next request on', async () => {
  await using started = startServer();
  const { talk, server } = started;
  const jane = new Talk(server.transportAs({ name: 'jane', groups: ['crew'] }));
  const status = async () => (await jane.send('GET', configMaps)).status;
  assert.equal(await status(), 403);
  await grant(talk, 'crew', { kind: 'Group', name: 'crew' }, 'configmaps');
  assert.equal(await status(), 200);
  await talk.mergePatch(`${rbac}/namespaces/default/roles/crew`, { rules: [] });
  assert.equal(await status(), 403);
  await grant(talk, 'jane', { kind: 'User', name: 'jane' }, 'configmaps');
  assert.equal(await status(), 200);
  await talk.ok('DELETE', `${rbac}/namespaces/default/rolebindings/jane`);
  assert.equal(await status(), 403);
});

test('a service account in the process has its groups, and does with its token what it does without', async () => {
  await using started = startServer();
  const { talk, server } = started;
  await talk.ok('POST', accounts, { metadata: { name: 'a' } });
  await talk.ok('POST', configMaps, configMap('x'));
  await grant(talk, 'all', { kind: 'Group', name: 'system:serviceaccounts:default' }, 'configmaps');
  const direct = new Talk(server.transportAs({ name: 'system:serviceaccount:default:a', groups: [] }));
  const headers = { authorization: `Bearer ${await tokenOf(started)}` };
  const [one, two] = [
    await direct.send('GET', `${configMaps}/x`),
    await talk.send('GET', `${configMaps}/x`, undefined, headers),
  ];
  assert.equal(one.status, 200);
  assert.equal(one.text, two.text);
  const refused = await direct.send('DELETE', `${configMaps}/x`);
  assert.equal(refused.status, 403);
  assert.equal(
    refused.body.message,
    'configmaps "x" is forbidden: User "system:serviceaccount:default:a" cannot delete resource "configmaps" in API group "" in the namespace "default"',
  );
});

test('the bearer of a given token has the rules of its user', async () => {
  await using started = startServer({ tokens: new Map([['secret', { name: 'jane', groups: [] }]]) });
  const { talk } = started;
  const headers = { authorization: 'Bearer secret' };
  assert.equal((await talk.send('GET', configMaps, undefined, headers)).status, 403);
  await grant(talk, 'jane', { kind: 'User', name: 'jane' }, 'configmaps');
  assert.equal((await talk.send('GET', configMaps, undefined, headers)).status, 200);
  const { status } = await talk.ok('POST', reviews, { spec: { token: 'secret' } });
  assert.deepEqual(status.user, { username: 'jane', groups: ['system:authenticated'] });
  const foreign = await talk.ok('POST', reviews, { spec: { token: 'secret', audiences: ['vault'] } });
  assert.equal(foreign.status.error, 'invalid bearer token');
});

test('what the server does by itself is above the rules', async () => {
  await using started = startServer();
  const { talk, server } = started;
  const group = 'example.com';
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await talk.ok('POST', definitions, {
    metadata: { name: `things.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  });
  const things = `/apis/${group}/v1/namespaces/default/things`;
  await talk.ok('POST', things, { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' } });
  const rules = [{ verbs: ['delete'], apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] }];
  await talk.ok('POST', `${rbac}/clusterroles`, { metadata: { name: 'remover' }, rules });
  await talk.ok('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'remover' },
    roleRef: { kind: 'ClusterRole', name: 'remover' },
    subjects: [{ kind: 'User', name: 'jane' }],
  });
  const jane = new Talk(server.transportAs({ name: 'jane', groups: [] }));
  assert.equal((await jane.send('DELETE', `${things}/a`)).status, 403);
  assert.equal((await jane.send('DELETE', `${definitions}/things.${group}`)).status, 200);
  assert.equal((await talk.send('GET', `${definitions}/things.${group}`)).status, 404);
});
