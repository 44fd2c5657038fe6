import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import type { PlannedChange, PlannedObject, PlannedPass } from './planned-pass.ts';
import { printPlannedPass, printPlanSummary } from './print-plan.ts';

const pass = (name: string, more: Partial<PlannedPass> = {}): PlannedPass => ({
  controller: 'widget',
  group: 'engine.example.com',
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
  return { type, group: '', kind: (after ?? before)?.kind ?? '', key: 'default/a', before, after };
}

const widget: PlannedObject = { group: 'engine.example.com', kind: 'Widget', key: 'default/a' };

test('a pass that would do nothing prints nothing', () => {
  assert.equal(printPlannedPass(pass('a', { unchanged: [widget] })), '');
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
    [[pass('a', { unchanged: [widget] })], '1 object: 1 unchanged'],
    [
      [
        pass('a', { changes: [change(undefined, map)], unchanged: [widget] }),
        pass('b', { changes: [change(map, map)] }),
      ],
      '2 objects: 1 to create, 1 unchanged',
    ],
    [
      [
        pass('a', { changes: [change(map, map)] }),
        pass('b', { unchanged: [{ group: '', kind: 'ConfigMap', key: 'default/a' }] }),
      ],
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
    [[pass('a', { unchanged: [widget], error: new Error('x') })], '1 object: 1 failed'],
    [
      [
        pass('a', { changes: [change(undefined, map)] }),
        pass('b', { changes: [change(map, map)] }),
        pass('c', { changes: [change(map, undefined)] }),
        pass('d', { changes: [change(map, map)] }),
      ],
      '1 object: 1 to delete',
    ],
    [
      [pass('a', { changes: [change(map, undefined)] }), pass('b', { changes: [change(undefined, map)] })],
      '1 object: 1 to create',
    ],
    [
      [
        pass('a', {
          changes: [change(map, map)],
          unchanged: [{ group: 'other', kind: 'ConfigMap', key: 'default/a' }],
        }),
      ],
      '2 objects: 1 to change, 1 unchanged',
    ],
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

test('what finalizers keep is shown with them', () => {
  const kept = object('ConfigMap', {}, { deletionTimestamp: 't', finalizers: ['x/y', 'z'] });
  const changes = [{ ...change(object('ConfigMap', {}), kept), type: 'delete' } as const];
  assert.equal(
    printPlannedPass(pass('a', { changes })),
    'Widget default/a\n  - ConfigMap default/a, once x/y, z let it go\n',
  );
  const held = object('ConfigMap', { data: { a: '1' } }, { finalizers: ['x/y'] });
  assert.match(printPlannedPass(pass('a', { changes: [change(undefined, held)] })), /^ {2}\+ ConfigMap default\/a$/m);
});

test('kinds of one name are told apart by their groups, and others are called by their names alone', () => {
  const one = change(object('Service', {}), undefined);
  const changes = [one, { ...one, group: 'serving.example.com' }, change(object('ConfigMap', {}), undefined)];
  assert.equal(
    printPlannedPass(pass('a', { changes })),
    `Widget default/a
  - Service default/a
  - Service.serving.example.com default/a
  - ConfigMap default/a
`,
  );
  const namesake = { ...one, kind: 'Widget', group: 'other' };
  assert.equal(
    printPlannedPass(pass('a', { changes: [namesake] })),
    'Widget.engine.example.com default/a\n  - Widget.other default/a\n',
  );
});

test('a finalizer that would be called is told', () => {
  assert.equal(
    printPlannedPass(pass('a', { step: 'finalize' }), { color: true }).replaceAll('\u001B', 'ESC'),
    'ESC[1mWidget default/aESC[22m\n  ESC[33m~ finalize would be calledESC[39m\n',
  );
});
