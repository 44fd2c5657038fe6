import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFinding } from './doctor.ts';
import { certificateFinding, webhookFindings } from './doctor-certificates.ts';
import { differences } from './doctor-differences.ts';

test('Node is too old below 22, and runs no TypeScript below 22.18', () => {
  const statusOf = (version: string) => nodeFinding(version).status;
  assert.deepEqual(['20.20.2', '22.0.0', '22.17.9', '22.18.0', '24.1.0'].map(statusOf), [
    'failed',
    'warning',
    'warning',
    'ok',
    'ok',
  ]);
});

test('a certificate that ends within two weeks is a warning, one that has ended a failure', () => {
  const day = 24 * 3600 * 1000;
  const at = (days: number) => certificateFinding({ of: 'it', endsAt: days * day }, 100 * day);
  assert.deepEqual(
    [at(99), at(100), at(101), at(113.9), at(114)].map(({ status }) => status),
    ['failed', 'failed', 'warning', 'warning', 'ok'],
  );
  assert.equal(at(101).text, 'it expires at 1970-04-12T00:00:00Z');
});

test('differences are named by their deepest paths, entries of lists by their names', () => {
  const a = { same: 1, list: [{ name: 'v1', served: true }, { name: 'v2' }], deep: { x: [1, 2], gone: {} } };
  const b = { same: 1, list: [{ name: 'v1', served: false }, { name: 'v3' }], deep: { x: [1, 3] } };
  assert.deepEqual(differences(a, b, 'spec'), [
    'spec.list[v1].served',
    'spec.list[v2]',
    'spec.list[v3]',
    'spec.deep.x[1]',
    'spec.deep.gone',
  ]);
  assert.deepEqual(differences(a, a, 'spec'), []);
});

test('what is wrong with the certificate of webhooks is a failure, and a warning if it ends soon, or there is none: it may come as files', () => {
  const of = (status: 'ok' | 'ending' | 'unknown' | 'failed', ...sentences: readonly string[]) =>
    webhookFindings({ status, sentences }).map((each) => [each.status, each.text, each.next?.split(' ', 4).join(' ')]);
  assert.deepEqual(of('ok', 'all is well'), [['ok', 'all is well', undefined]]);
  assert.deepEqual(of('ending', 'three days'), [['warning', 'three days', 'It is renewed when']]);
  assert.deepEqual(of('unknown', 'there is none'), [['warning', 'there is none', 'The operator makes it']]);
  assert.deepEqual(of('failed', 'a', 'b'), [
    ['failed', 'a', 'The operator puts that'],
    ['failed', 'b', 'The operator puts that'],
  ]);
});
