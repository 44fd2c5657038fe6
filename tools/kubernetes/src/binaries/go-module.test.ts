import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkerFlags } from './build.ts';
import { goModule, stagingModules } from './go-module.ts';
import { parseKubernetesVersion } from './versions.ts';

const kubernetesGoMod = `module k8s.io/kubernetes

go 1.26.0

require (
	github.com/spf13/cobra v1.10.0
	k8s.io/api v0.0.0
	k8s.io/apiserver v0.0.0
	k8s.io/klog/v2 v2.140.0
	k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
)
`;

test('staging modules are those required at exactly v0.0.0', () => {
  assert.deepEqual(stagingModules(kubernetesGoMod), ['k8s.io/api', 'k8s.io/apiserver']);
});

test('the module replaces each staging module by its published version', () => {
  assert.equal(
    goModule(kubernetesGoMod, parseKubernetesVersion('v1.36.4'), ['kube-apiserver', 'kubectl']),
    `module keelson.example/kubernetes

go 1.26.0

tool (
	k8s.io/kubernetes/cmd/kube-apiserver
	k8s.io/kubernetes/cmd/kubectl
)

require k8s.io/kubernetes v1.36.4

replace (
	k8s.io/api => k8s.io/api v0.36.4
	k8s.io/apiserver => k8s.io/apiserver v0.36.4
)

`,
  );
});

test('programs of Kubernetes are told their version by the linker, others are not', () => {
  const flags = linkerFlags('kubelet', 'v1.36.4');
  assert.match(flags, /-X k8s\.io\/component-base\/version\.gitVersion=v1\.36\.4 /);
  assert.match(flags, /-X k8s\.io\/client-go\/pkg\/version\.gitMinor=36 /);
  assert.equal(linkerFlags('etcd', 'v1.36.4'), '-s -w');
  assert.match(linkerFlags('helm', 'v1.36.4'), /chartutil\.k8sVersionMajor=1 .*chartutil\.k8sVersionMinor=36$/);
});
