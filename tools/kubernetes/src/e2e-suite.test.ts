import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultIn, specsIn } from './e2e-suite.ts';

test('the names of specs are read from what --list-tests prints', () => {
  const listed = [
    "The following spec names can be used with 'ginkgo run --focus/skip':",
    '    k8s.io/kubernetes/test/e2e/apps/job.go:91: [sig-apps] Job should delete a job [Conformance]',
    '    e2e/network/dns.go:1: [sig-network] DNS 10.0.0.1:53: answers',
    '',
  ];
  assert.deepEqual(specsIn(listed.join('\n')), [
    '[sig-apps] Job should delete a job [Conformance]',
    '[sig-network] DNS 10.0.0.1:53: answers',
  ]);
});

test('a report tells what became of the spec that was asked for', () => {
  const lines = [
    {
      ContainerHierarchyTexts: null,
      LeafNodeText: '',
      LeafNodeType: 'SynchronizedBeforeSuite',
      State: 'passed',
      RunTime: 1,
    },
    { ContainerHierarchyTexts: ['[sig-apps] Job'], LeafNodeText: 'works', State: 'passed', RunTime: 2_000_000 },
    { ContainerHierarchyTexts: ['[sig-apps] Job'], LeafNodeText: 'works on', State: 'skipped', RunTime: 0 },
    {
      ContainerHierarchyTexts: ['[sig-apps] Job', 'when full'],
      LeafNodeText: 'ends',
      State: 'timedout',
      RunTime: 3_000_000,
      Failure: { Message: 'A suite timeout occurred' },
    },
  ];
  const report = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  assert.deepEqual(resultIn(report, '[sig-apps] Job works'), { state: 'passed', message: '', durationMs: 2 });
  assert.deepEqual(resultIn(report, '[sig-apps] Job when full ends'), {
    state: 'timedout',
    message: 'A suite timeout occurred',
    durationMs: 3,
  });
  assert.equal(resultIn(report, '[sig-apps] Job'), undefined);
});
