/** Ten ways to install each operator, judged by the API server: by its dry run, with the kinds of Prometheus. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { monitoringDefinitions, monitoringKinds } from '../../monitoring-definitions.ts';
import { chartOf, clusters, folder, helm, missing, names, restricted, set } from './helm-program.ts';

/** Ten ways to install each: as values on the command line. */
const common: readonly (readonly string[])[] = [
  [],
  ['ha.enabled=false'],
  ['ha.replicaCount=5,podDisruptionBudget.maxUnavailable=20%,podDisruptionBudget.enabled=true'],
  ['image.repository=registry.example.com:5000/a/b,image.tag=v2,image.pullPolicy=Always,imagePullSecrets[0].name=pull'],
  [`image.digest=sha256:${'a'.repeat(64)}`, 'crds.install=false', 'userRoles.create=false'],
  ['monitoring.enabled=false,networkPolicy.enabled=false'],
  [
    'monitoring.dashboard=true,monitoring.namespace=monitoring,monitoring.labels.release=prometheus,monitoring.interval=15s',
  ],
  [
    'nodeSelector.disk=ssd,tolerations[0].key=a,tolerations[0].operator=Exists,priorityClassName=system-cluster-critical',
    'podLabels.team=a,podAnnotations.note=b',
    'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution=null',
  ],
  [
    'serviceAccount.name=other,serviceAccount.annotations.a=b,crds.keep=false,logLevel=debug,resources=null,topologySpreadConstraints=null',
  ],
];
const tenth = {
  memcached: [
    'rbac.namespaces={blue,green,memcached-operator-system}',
    'extraArgs={--log-causes}',
    'monitoring.port=9090',
  ],
  echo: [
    'numWorkers=1,env=local,ha.leaderElection.leaseDurationSeconds=60',
    'monitoring.path=/m',
    'extraEnv[0].name=A,extraEnv[0].value=b',
  ],
} as const;

const skip = await missing();
const known = monitoringKinds.flatMap((kind) => ['--api-versions', `monitoring.coreos.com/v1/${kind}`]);

for (const [on, start] of clusters) {
  test(`ten sets of values for each operator are what the API server takes, on ${on}`, { skip }, async () => {
    await using place = await start();
    for (const name of ['blue', 'green', 'monitoring', ...Object.values(names).map(({ namespace }) => namespace)]) {
      await place.apply(restricted(name));
    }
    for (const definition of monitoringDefinitions) await place.apply(definition);
    await place.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
    for (const [operator, { release, namespace }] of Object.entries(names)) {
      const sets = [...common, tenth[operator as keyof typeof tenth]];
      assert.equal(sets.length, 10);
      for (const [i, values] of sets.entries()) {
        const args = ['template', release, chartOf(operator), '--namespace', namespace, ...known, ...set(values)];
        const file = join(folder, `${operator}-${i}.yaml`);
        await writeFile(file, await helm(...args));
        await place.kubectl('apply', '--server-side', '--dry-run=server', '--force-conflicts', '-f', file);
      }
    }
  });
}
