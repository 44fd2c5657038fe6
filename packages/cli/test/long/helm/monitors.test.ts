/** A chart on a cluster without the kinds of Prometheus, with them, and when they come after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monitoringDefinitions, monitoringKinds } from '../../monitoring-definitions.ts';
import { chartOf, clusters, missing, names, type Place, restricted } from './helm-program.ts';

const skip = await missing();
const absent = /There is no ServiceMonitor: the cluster does not have the kind/;

/** What a release has of them, where the cluster knows the kinds. */
const monitors = async ({ kubectl }: Place, namespace: string) => {
  const found = await kubectl('get', 'servicemonitors,prometheusrules', '--namespace', namespace, '--output', 'name');
  return found.trim().split('\n').filter(Boolean).length;
};

for (const [on, start] of clusters) {
  test(`a ServiceMonitor and alerts come with their kinds, also when those come later, on ${on}`, {
    skip,
  }, async () => {
    await using place = await start();
    for (const [operator, { release, namespace }] of Object.entries(names)) {
      const what = [release, chartOf(operator), '--namespace', namespace];
      await place.apply(restricted(namespace));
      assert.match(await place.helm('install', ...what), absent, 'without the kinds');

      for (const definition of monitoringDefinitions) await place.apply(definition);
      await place.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
      assert.doesNotMatch(await place.helm('upgrade', ...what), absent, 'they came later');
      assert.equal(await monitors(place, namespace), 2);
      await place.helm('rollback', release, '1', '--namespace', namespace);
      assert.equal(await monitors(place, namespace), 0, 'as it was in that revision');
      await place.helm('uninstall', release, '--namespace', namespace);

      assert.doesNotMatch(await place.helm('install', ...what), absent, 'they were there before');
      assert.equal(await monitors(place, namespace), 2);
      await place.helm('uninstall', release, '--namespace', namespace);
      assert.equal(await monitors(place, namespace), 0);
      for (const kind of monitoringKinds) {
        await place.kubectl('delete', 'crd', `${kind.toLowerCase()}s.monitoring.coreos.com`);
      }
    }
  });
}
