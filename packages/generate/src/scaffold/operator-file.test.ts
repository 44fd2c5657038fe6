import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  controllerAddition,
  kindAddition,
  operatorFile,
  operatorIn,
  webhookAddition,
  withAddition,
} from './operator-file.ts';

const { text } = operatorFile('web-operator', 'Website');

test('a controller becomes one import, in its order, and one entry of the list; all else stays', () => {
  const next = withAddition(text, controllerAddition('Memcached')) ?? '';
  assert.deepEqual(
    next.split('\n').filter((line) => !text.split('\n').includes(line)),
    [
      "import { memcachedController } from './controllers/memcached.ts';",
      '  controllers: [websiteController, memcachedController],',
    ],
  );
  assert.ok(next.indexOf('memcached.ts') < next.indexOf('website.ts'));
  assert.ok(text.split('\n').every((line) => next.includes(line) || line.includes('controllers: [')));
});

test('a list that gets long has a line for each entry, and keeps them', () => {
  const kinds = ['Aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'Bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'Cccccccc', 'D'];
  const last = kinds.reduce((before, kind) => withAddition(before, controllerAddition(kind)) ?? '', text);
  assert.match(
    last,
    /controllers: \[\n {4}websiteController,\n {4}aaaa\w+,\n {4}bbb\w+,\n {4}ccccccccController,\n {4}dController,\n {2}\],\n/,
  );
});

for (const [what, styled] of [
  ['without semicolons', (source: string) => source.replaceAll(';', '')],
  ['with double quotes', (source: string) => source.replaceAll("'", '"')],
  ['with a remark', (source: string) => source.replace("core';", "core'; // the values")],
  ['with attributes', (source: string) => source.replace("core';", "core' with { type: 'x' };")],
] as const) {
  test(`an import goes among imports ${what}, not into the code below`, () => {
    const below = 'function own() {\n  return 1;\n}\n';
    const next = withAddition(styled(text) + below, controllerAddition('Memcached')) ?? '';
    const added = "import { memcachedController } from './controllers/memcached.ts';\n";
    assert.equal(next.replace(added, '').replace(', memcachedController]', ']'), styled(text) + below);
    assert.ok(next.indexOf(added) < next.indexOf('website.ts'), next);
  });
}

test('what is loaded later is no import', () => {
  const later = `${text}\nimport('./later.ts');\n`;
  const next = withAddition(later, kindAddition('Memcached')) ?? '';
  assert.ok(next.indexOf('export { Memcached }') < next.indexOf('export const webOperator'), next);
});

test('the lines of a file end as they did', () => {
  const windows = text.replaceAll('\n', '\r\n');
  assert.equal(operatorIn(windows), 'webOperator');
  const kinds = ['Aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'Bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'Cccccccc', 'D'];
  const additions = [...kinds.map(controllerAddition), kindAddition('Memcached')];
  const added = (source: string) => additions.reduce((before, each) => withAddition(before, each) ?? '', source);
  assert.equal(added(windows), added(text).replaceAll('\n', '\r\n'));
});

test('a kind without a controller is exported beside the operator', () => {
  const next = withAddition(text, kindAddition('Memcached')) ?? '';
  assert.match(
    next,
    /website\.ts';\n\nexport \{ Memcached \} from '\.\/api\/memcached\.ts';\n\nexport const webOperator/,
  );
});

for (const [what, other] of [
  ['the list comes from elsewhere', text.replace(/controllers: .*/, 'controllers,')],
  ['the list has more than names', text.replace('[websiteController]', '[...others(), websiteController]')],
  ['there are two lists', text + text],
  ['the file is empty', ''],
] as const) {
  test(`nothing is added where ${what}`, () => {
    assert.equal(withAddition(other, controllerAddition('Memcached')), undefined);
  });
}

test('the variable of the operator is found', () => {
  assert.equal(operatorIn(text), 'webOperator');
  assert.equal(operatorIn('export default operator({'), undefined);
});

test('the first webhook begins a list below that of the controllers, and the next joins it', () => {
  const first = withAddition(text, webhookAddition('Website')) ?? '';
  const added = (after: string, before: string) =>
    after.split('\n').filter((line) => !before.split('\n').includes(line));
  assert.deepEqual(added(first, text), [
    "import { websiteWebhook } from './webhooks/website.ts';",
    '  webhooks: [websiteWebhook],',
  ]);
  assert.match(first, /\n {2}controllers: \[websiteController\],\n {2}webhooks: \[websiteWebhook\],\n\}\);\n$/);
  const second = withAddition(first, webhookAddition('Pod')) ?? '';
  assert.deepEqual(added(second, first), [
    "import { podWebhook } from './webhooks/pod.ts';",
    '  webhooks: [websiteWebhook, podWebhook],',
  ]);
  assert.equal(withAddition(second, webhookAddition('Pod')), second);
  const alone = first.replace(/ {2}controllers: .*\n/, '');
  assert.match(withAddition(alone, webhookAddition('Pod')) ?? '', /webhooks: \[websiteWebhook, podWebhook\],\n/);
  const own = text.replace('controllers: [websiteController]', 'controllers: [websiteController], webhooks: [...all]');
  assert.equal(withAddition(own, webhookAddition('Pod')), undefined);
});
