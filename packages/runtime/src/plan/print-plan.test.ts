import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import type { PlannedChange, PlannedPass } from './planned-pass.ts';
import { printPlannedPass, printPlanSummary } from './print-plan.ts';

const pass = (name: string, more: Partial<PlannedPass> = {}): PlannedPass => ({
  controller: 'widget',
  kind: 'Widget',
  key: `default/${name}`,
  step: 'reconcile',
  changes: [],
  unchanged: [],
  events: [],
  ...more,
});

const object = (kind: string, content: object, metadata: object = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'default', ...metadata }, ...content }) as never;

function change(before: KubernetesObject | undefined, after: KubernetesObject | undefined): PlannedChange {
  const type = before === undefined ? 'create' : after === undefined ? 'delete' : 'change';
  return { type, kind: (after ?? before)?.kind ?? '', key: 'default/a', before, after };
}

test('a pass that would do nothing prints nothing', () => {
  assert.equal(printPlannedPass(pass('a', { unchanged: ['Widget default/a'] })), '');
});

test('colours are for terminals: what comes is green, what goes red', () => {
  const changes = [change(object('ConfigMap', { data: { a: '1' } }), object('ConfigMap', { data: { b: '1' } }))];
  const one = pass('a', { changes, error: new Error('too bad') });
  assert.equal(
    printPlannedPass(one),
    'Widget default/a\n  ~ ConfigMap default/a\n      data:\n  -     a: "1"\n  +     b: "1"\n  ! failed: too bad\n',
  );
  assert.equal(
    printPlannedPass(one, { color: true }).replaceAll('\u001B', 'ESC'),
    [
      'ESC[1mWidget default/aESC[22m',
      '  ESC[33m~ ConfigMap default/aESC[39m',
      '      data:',
      '  ESC[31m-     a: "1"ESC[39m',
      '  ESC[32m+     b: "1"ESC[39m',
      '  ESC[31m! failed: too badESC[39m',
      '',
    ].join('\n'),
  );
});

test('no value of a Secret is printed, wherever it stands; whether it changes is', () => {
  const last = { 'kubectl.kubernetes.io/last-applied-configuration': '{"hidden":1}', other: 'shown' };
  const before = object('Secret', { data: { same: 'hidden1', old: 'hidden2', two: 'hidden3' } }, { annotations: last });
  const after = object('Secret', {
    data: { same: 'hidden1', two: 'hidden4' },
    stringData: { text: 'hidden5' },
    type: 'Opaque',
  });
  const printed = printPlannedPass(pass('a', { changes: [change(before, after), change(undefined, after)] }));
  assert.doesNotMatch(printed, /hidden/);
  assert.equal(
    printed,
    `Widget default/a
  ~ Secret default/a
      metadata:
  -     annotations:
  -       other: shown
      data:
  -     old: ***
  -     two: *** (before)
  +     two: *** (after)
  +   stringData:
  +     text: ***
  +   type: Opaque
  + Secret default/a
  +   data:
  +     same: ***
  +     two: ***
  +   stringData:
  +     text: ***
  +   type: Opaque
`,
  );
});

test('what the server counts is not shown, nor whose a new object is', () => {
  const metadata = { uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: 't', managedFields: [{}] };
  const before = object('ConfigMap', {}, { ...metadata, labels: { a: '1' } });
  const after = object('ConfigMap', {}, { labels: { a: '2' }, ownerReferences: [{ name: 'o' }] });
  assert.equal(
    printPlannedPass(pass('a', { changes: [change(before, after), change(undefined, after)] })),
    `Widget default/a
  ~ ConfigMap default/a
      metadata:
        labels:
  -       a: "1"
  +       a: "2"
  +     ownerReferences:
  +       - name: o
  + ConfigMap default/a
  +   metadata:
  +     labels:
  +       a: "2"
`,
  );
});

test('the sum counts each object once, by what becomes of it in the end', () => {
  const map = object('ConfigMap', {});
  const cases: readonly (readonly [readonly PlannedPass[], string])[] = [
    [[], '0 objects'],
    [[pass('a', { unchanged: ['Widget default/a'] })], '1 object: 1 unchanged'],
    [
      [
        pass('a', { changes: [change(undefined, map)], unchanged: ['Widget default/a'] }),
        pass('b', { changes: [change(map, map)] }),
      ],
      '2 objects: 1 to create, 1 unchanged',
    ],
    [
      [pass('a', { changes: [change(map, map)] }), pass('b', { unchanged: ['ConfigMap default/a'] })],
      '1 object: 1 to change',
    ],
    [
      [
        pass('a', { changes: [change(map, undefined)] }),
        pass('b', { step: 'finalize' }),
        pass('c', { step: 'nothing' }),
      ],
      '2 objects: 1 to delete, 1 to finalize',
    ],
    [[pass('a', { unchanged: ['Widget default/a'], error: new Error('x') })], '1 object: 1 failed'],
  ];
  for (const [passes, text] of cases) assert.equal(printPlanSummary(passes), text);
});

test('what a terminal would obey is shown and not obeyed', () => {
  const erase = '\u001B[1A\u001B[2K';
  const data = { text: `one\n${erase}two\tthree` };
  const text = printPlannedPass(
    pass('a', {
      changes: [change(undefined, object('ConfigMap', { data }))],
      events: [{ type: 'Normal', reason: 'Odd', message: erase }],
      error: new Error(`${erase}first\nsecond`),
    }),
    { color: true },
  );
  assert.ok(!text.includes(erase), JSON.stringify(text));
  assert.ok(text.includes('\\u001b[1A\\u001b[2Ktwo\tthree'), JSON.stringify(text));
  assert.match(text, /first\n {6}second/);
});
