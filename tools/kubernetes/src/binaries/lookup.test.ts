import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, mixedVersions } from './lookup.ts';
import type { Program } from './programs.ts';

const found = (program: Program, version: string, source: Found['source'] = 'in the cache'): Found => ({
  program,
  version,
  source,
  path: `/somewhere/${program}`,
});

test('programs of one version fit together', () => {
  assert.equal(mixedVersions([found('kube-apiserver', 'v1.36.4'), found('kubectl', 'v1.36.4')], 'v1.36.4'), undefined);
});

test("etcd's version is its own", () => {
  assert.equal(mixedVersions([found('etcd', 'v3.6.16'), found('kubectl', 'v1.36.4')], undefined), undefined);
});

test('mixed versions are named with where each comes from', () => {
  const sentence = mixedVersions(
    [found('kube-apiserver', 'v1.35.0', 'in KUBEBUILDER_ASSETS'), found('kube-scheduler', 'v1.36.4', 'to be built')],
    undefined,
  );
  assert.match(
    sentence ?? '',
    /kube-apiserver v1\.35\.0 \(in KUBEBUILDER_ASSETS\), kube-scheduler v1\.36\.4 \(to be built\)/,
  );
});

test('a whole set of another version is taken unless a version was asked for', () => {
  const assets = [found('kube-apiserver', 'v1.35.0', 'in KUBEBUILDER_ASSETS')];
  assert.equal(mixedVersions(assets, undefined), undefined);
  assert.equal(
    mixedVersions(assets, 'v1.36.4'),
    'KUBEBUILDER_ASSETS holds Kubernetes v1.35.0, but v1.36.4 was asked for.',
  );
});
