import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goSelector } from './go-selector.ts';

test('a selector is printed as in events of Kubernetes 1.36', () => {
  assert.equal(
    goSelector({}),
    '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}',
  );
  assert.equal(
    goSelector({ matchLabels: { b: '2', a: '1' } }),
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
  );
  assert.equal(
    goSelector({
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['1', '2'] },
        { key: 'b', operator: 'Exists' },
      ],
    }),
    '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[1 2],},LabelSelectorRequirement{Key:b,Operator:Exists,Values:[],},},}',
  );
});
