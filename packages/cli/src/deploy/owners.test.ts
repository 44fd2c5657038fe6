import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionHolder, heldFields, howToFree, installerOf, isOfOperator } from './owners.ts';

const withLabels = (labels: Record<string, string>, annotations?: Record<string, string>) => ({
  metadata: { labels, annotations },
});

test('what Helm or OLM has installed is known by their labels and annotations', () => {
  const cases: readonly (readonly [Parameters<typeof installerOf>[0], string | undefined])[] = [
    [{ metadata: {} }, undefined],
    [withLabels({ 'app.kubernetes.io/name': 'web' }), undefined],
    [
      withLabels({}, { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'blue' }),
      'the Helm release web in blue',
    ],
    [withLabels({ 'app.kubernetes.io/managed-by': 'Helm' }), 'the Helm release (without a name)'],
    [withLabels({ 'olm.managed': 'true' }), 'the Operator Lifecycle Manager'],
    [withLabels({ 'olm.owner': 'web.v1' }), 'the Operator Lifecycle Manager (web.v1)'],
    [withLabels({ 'operators.coreos.com/web.operators': '' }), 'the Operator Lifecycle Manager'],
  ];
  for (const [object, owner] of cases) assert.equal(installerOf(object), owner);
});

test('what a release may have left when it was uninstalled can be taken over', () => {
  assert.match(
    howToFree(withLabels({}, { 'helm.sh/resource-policy': 'keep' })),
    /; if it is uninstalled, docs\/chart\.md/,
  );
  assert.match(howToFree(withLabels({})), /uninstall it there first$/);
});

test('an object is of an operator if it has its name', () => {
  assert.equal(isOfOperator(withLabels({ 'app.kubernetes.io/name': 'web' }), 'web'), true);
  assert.equal(isOfOperator(withLabels({ 'app.kubernetes.io/name': 'other' }), 'web'), false);
  assert.equal(isOfOperator({ metadata: {} }, 'web'), false);
});

test('a conflict names each field with who has set it', () => {
  const causes = [
    { reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using apps/v1', field: '.spec.replicas' },
    { reason: 'Other', message: 'something else', field: '.spec' },
  ];
  assert.deepEqual(heldFields({ details: { causes } }), [{ field: '.spec.replicas', manager: 'kubectl' }]);
  assert.deepEqual(heldFields({}), []);
});

test('the definition of a kind is of whoever wrote it, for what its labels say', () => {
  const held = ['.spec.versions', '.spec.scope'].map((field) => ({ field, manager: 'kubectl' }));
  assert.equal(definitionHolder({ metadata: {} }, held), 'kubectl');
  assert.equal(definitionHolder(withLabels({ 'app.kubernetes.io/name': 'web' }), held), 'kubectl for web');
});
