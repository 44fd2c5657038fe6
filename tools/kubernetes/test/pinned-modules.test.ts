import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { goPackage, type Program } from '../src/binaries/programs.ts';
import {
  craneVersion,
  etcdVersion,
  helmVersion,
  kubernetesVersion,
  olmVersion,
  operatorFrameworkVersion,
  operatorSdkVersion,
  parseKubernetesVersion,
  prometheusVersion,
} from '../src/binaries/versions.ts';

const goMod = (module: string) => readFileSync(new URL(`../go/${module}/go.mod`, import.meta.url), 'utf8');

test('the checked-in module requires the pinned Kubernetes, and its staging modules at the same version', () => {
  const module = goMod('kubernetes');
  const { staging } = parseKubernetesVersion(kubernetesVersion);
  assert.match(module, new RegExp(`^\\s*(require )?k8s\\.io/kubernetes ${kubernetesVersion}( |$)`, 'm'));
  const replacements = [...module.matchAll(/^\t(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
  assert.ok(replacements.length > 20);
  for (const [, from, to, version] of replacements) assert.deepEqual([to, version], [from, staging]);
});

test('the checked-in module names every program that is built from it', () => {
  const programs: Program[] = ['kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler'];
  for (const program of [...programs, 'kubectl', 'kubelet'] as const) {
    assert.ok(goMod('kubernetes').includes(`\t${goPackage(program)}\n`), program);
  }
});

test('the modules of OLM and of Operator SDK name every program that is built from them', () => {
  for (const program of ['olm', 'catalog', 'opm'] as const) {
    assert.ok(goMod('olm').includes(`\t${goPackage(program)}\n`), program);
  }
  for (const program of ['operator-sdk', 'scorecard-test'] as const) {
    assert.ok(goMod('operator-sdk').includes(`\t${goPackage(program)}\n`), program);
  }
});

for (const [module, required, version] of [
  ['etcd', 'go.etcd.io/etcd/server/v3', etcdVersion],
  ['crane', 'github.com/google/go-containerregistry', craneVersion],
  ['helm', 'helm.sh/helm/v3', helmVersion],
  ['promql', 'github.com/prometheus/prometheus', prometheusVersion],
  ['bundle-validator', 'github.com/operator-framework/api', operatorFrameworkVersion],
  ['olm', 'github.com/operator-framework/operator-lifecycle-manager', olmVersion],
  ['operator-sdk', 'github.com/operator-framework/operator-sdk', operatorSdkVersion],
] as const) {
  test(`the checked-in module requires the pinned ${module}`, () => {
    assert.match(goMod(module), new RegExp(`${required.replaceAll('.', '\\.')} ${version}( |$)`, 'm'));
  });
}
