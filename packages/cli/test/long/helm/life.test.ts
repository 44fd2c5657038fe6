/** The life of a release, whatever runs in its pods: taken over, installed, changed, rolled back and taken off. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartOf, clusters, missing, names, operators, type Place, restricted, set, waiting } from './helm-program.ts';

const skip = await missing();

/** Pods become ready on the embedded cluster alone: the real one here has no node, and Helm would wait for ever. */
const patience = (on: string) => (on === 'the embedded cluster' ? waiting : []);

const releaseLabel = (release: string) => ['--selector', `app.kubernetes.io/instance=${release}`];
const madeByCharts =
  'all,configmap,serviceaccount,role,rolebinding,clusterrole,clusterrolebinding,networkpolicy,pdb,lease,secret';

for (const [on, start] of clusters) {
  describe(`a release on ${on}`, { skip }, () => {
    let place: Place & AsyncDisposable;
    before(async () => {
      place = await start();
    });
    after(() => place?.[Symbol.asyncDispose]());

    for (const [operator, { release, namespace }] of Object.entries(names)) {
      const chart = chartOf(operator);
      const there = ['--namespace', namespace];
      const crds = () => place.kubectl('get', 'crd', '--output', 'name');
      const read = (path: string) =>
        place.kubectl(...there, 'get', 'deployment', release, '--output', `jsonpath={${path}}`);

      test(`${operator}: over an installation by manifests it says what is there, and takes it over when told to`, async () => {
        await place.kubectl('apply', '--server-side', '-f', join(operators, operator, 'dist/install.yaml'));
        const refused = await place.tryHelm(
          'install',
          release,
          chart,
          '--namespace',
          'elsewhere',
          '--create-namespace',
        );
        assert.equal(refused.code, 1);
        const words = `${release} is in this cluster already: the ClusterRole "${release}" is not of a Helm release: manifests made it.
Either remove what is there first, or take it over: give --take-ownership and --set takeOver=true. It runs in the namespace "${namespace}": choose that one.
If only the definitions are there, --set crds.install=false leaves them to whoever made them.`;
        assert.ok(refused.err.includes(words), refused.err);
        const begun = await place.helm('list', '--namespace', 'elsewhere', '--all', '--short');
        assert.equal(begun.trim(), '', 'nothing half-done');
        const uid = await read('.metadata.uid');
        await place.helm('install', release, chart, ...there, '--take-ownership', ...set(['takeOver=true']));
        assert.equal(await read('.metadata.uid'), uid);
        await place.helm('uninstall', release, ...there, ...patience(on));
      });

      test(`${operator}: install, upgrade, rollback and uninstall keep the definitions and nothing else`, async () => {
        const patient = patience(on);
        await place.apply(restricted(namespace));
        await place.helm('install', release, chart, ...there, ...patient);
        const definitions = await crds();
        const [replicas, template] = [await read('.spec.replicas'), await read('.spec.template')];
        const settings = operator === 'echo' ? 'numWorkers=2' : 'logLevel=debug';
        await place.helm('upgrade', release, chart, ...there, ...patient, ...set(['ha.replicaCount=1', settings]));
        assert.equal(await read('.spec.replicas'), '1');
        assert.notEqual(await read('.spec.template'), template, 'the pods are rolled');

        await place.helm('rollback', release, '1', ...there, ...patient);
        assert.equal(await read('.spec.replicas'), replicas);
        assert.equal(await read('.spec.template'), template);
        assert.match(await place.helm('history', release, ...there), /Rollback to 1/);

        const alone = ['ha.enabled=false', 'crds.install=false'];
        await place.helm('upgrade', release, chart, ...there, ...patient, ...set(alone));
        assert.equal(await read('.spec.strategy.type'), 'Recreate');
        assert.equal(await crds(), definitions, 'definitions that the release no longer has stay');
        // Where no values are given, Helm would take those of the revision before.
        await place.helm('upgrade', release, chart, ...there, ...patient, '--reset-values');
        assert.equal(await read('.spec.strategy.type'), 'RollingUpdate');

        await place.helm('uninstall', release, ...there, ...patient);
        assert.equal(await crds(), definitions);
        const left = await place.kubectl(
          'get',
          madeByCharts,
          '--all-namespaces',
          ...releaseLabel(release),
          '-o',
          'name',
        );
        assert.equal(left, '');
      });
    }
  });
}
