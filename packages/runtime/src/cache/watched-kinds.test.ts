import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byOwner, isMetadataOnly, isOptional, metadataOf, optional, own, type Watch, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Pod, Secret } from '@keelson/core/v1';
import { followUpKinds, idOfKind, watchedKinds } from './watched-kinds.ts';

const to = byOwner;
const watched = (watches: readonly Watch[], rest: object = {}) =>
  watchedKinds({ for: Deployment, owns: [ConfigMap], watches, ...rest }).map(({ kind, selection }) => [
    `${idOfKind(kind)}${isMetadataOnly(kind) ? ' metadata' : ''}${isOptional(kind) ? ' optional' : ''}`,
    JSON.stringify(selection),
  ]);
const always = [
  ['deployments.apps/v1', '{}'],
  ['configmaps/v1', '{}'],
];

test('each kind is watched once: whole and unselected where one part of the declaration needs it so', () => {
  const labels = { app: 'x' };
  assert.deepEqual(watched([]), always);
  assert.deepEqual(watched([watch(ConfigMap, { labels, to })]), always, 'owned, so whole');
  assert.deepEqual(watched([watch(Pod, { labels, to })]), [...always, ['pods/v1', '{"labels":{"app":"x"}}']]);
  assert.deepEqual(watched([watch(Pod, { labels, to }), watch(Pod, { labels, to })]), [
    ...always,
    ['pods/v1', '{"labels":{"app":"x"}}'],
  ]);
  assert.deepEqual(watched([watch(metadataOf(Pod), { to }), watch(Pod, { to })]), [...always, ['pods/v1', '{}']]);
  assert.deepEqual(watched([watch(Pod, { to }), watch(metadataOf(Pod), { to })]), [...always, ['pods/v1', '{}']]);
  assert.deepEqual(watched([watch(metadataOf(Pod), { to }), watch(metadataOf(Pod), { to })]), [
    ...always,
    ['pods/v1 metadata', '{}'],
  ]);
});

test('a kind that is asked for selected and unselected is watched unselected', () => {
  const selected = watch(Pod, { fields: 'metadata.name=a', to });
  for (const both of [
    [watch(Pod, { to }), selected],
    [selected, watch(Pod, { to })],
  ])
    assert.deepEqual(watched(both), [...always, ['pods/v1', '{}']]);
});

test('selections that differ are refused; the order of namespaces and an empty selector do not count', () => {
  const pods = (selection: object) => watch(Pod, { ...selection, to });
  for (const [a, b] of [
    [{ labels: { app: 'x' } }, { labels: { app: 'y' } }],
    [{ fields: 'metadata.name=a' }, { fields: 'metadata.name=b' }],
    [{ namespaces: ['a'] }, { namespaces: ['b'] }],
  ] as const)
    assert.throws(() => watched([pods(a), pods(b)]), /^RangeError: Pod is watched twice with different selections/);
  assert.equal(watched([pods({ namespaces: ['a', 'b'] }), pods({ namespaces: ['b', 'a'] })]).length, 3);
  assert.equal(watched([pods({ namespaces: ['a'] }), pods({ namespaces: ['a'], labels: {} })]).length, 3);
});

test('what is only referred to is watched by its metadata, unless it is watched whole already', () => {
  const refers = (to: typeof Secret | ReturnType<typeof optional>) => ({ refers: [{ to, by: () => 'a' }] });
  assert.deepEqual(watched([], refers(Secret)), [...always, ['secrets/v1 metadata', '{}']]);
  assert.deepEqual(watched([], refers(optional(Secret))), [...always, ['secrets/v1 metadata optional', '{}']]);
  assert.deepEqual(watched([watch(Secret, { to })], refers(Secret)), [...always, ['secrets/v1', '{}']]);
});

test('changes of a kind are follow-ups where no controller reconciles or judges it and no webhook reads it', () => {
  const kinds = [Deployment, ConfigMap, Pod, Secret];
  const follow = (...[operator]: Parameters<typeof followUpKinds>) =>
    kinds.filter(followUpKinds(operator)).map(({ kind }) => kind);
  const one = { for: Deployment, owns: [ConfigMap], watches: [watch(Pod, { to })] };
  assert.deepEqual(follow({ controllers: [one] }), ['ConfigMap', 'Pod', 'Secret']);
  assert.deepEqual(follow({ controllers: [one, { for: ConfigMap }] }), ['Pod', 'Secret']);
  assert.deepEqual(follow({ controllers: [one], webhooks: [{ reads: [Pod] }, {}] }), ['ConfigMap', 'Secret']);
  assert.deepEqual(follow({ controllers: [{ for: ConfigMap }, { for: metadataOf(Pod) }] }), ['Deployment', 'Secret']);
  const when = () => true;
  assert.deepEqual(follow({ controllers: [{ ...one, owns: [own(ConfigMap, { when })] }] }), ['Pod', 'Secret']);
  assert.deepEqual(follow({ controllers: [{ ...one, watches: [watch(Pod, { to, when })] }] }), ['ConfigMap', 'Secret']);
  const refers = [{ to: Secret, by: () => [], when }];
  assert.deepEqual(follow({ controllers: [{ ...one, refers }] }), ['ConfigMap', 'Pod']);
});
