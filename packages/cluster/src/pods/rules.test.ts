import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../../test/pods.ts';
import { annotated, type PodBehaviour, type PodSelector, podRules } from './behaviour.ts';
import { PodRules } from './rules.ts';

const fails = { fails: 'OOMKilled' } as const;
const subject = pod('cache-0', { metadata: { labels: { app: 'cache', tier: 'a' } } });
const main = { name: 'main', image: 'memcached:1.6' };
const setup = { name: 'setup', image: 'setup:1' };

test('a rule is for the pods and containers that fit all it says', () => {
  const cases: readonly [PodSelector, boolean, boolean][] = [
    [{}, true, false],
    [{ image: 'memcached:1.6' }, true, false],
    [{ image: 'memcached:*' }, true, false],
    [{ image: 'memcached' }, false, false],
    [{ image: 'memcached.1.6' }, false, false],
    [{ image: /memcached/g }, true, false],
    [{ image: 'setup:*' }, false, true],
    [{ image: '*' }, true, true],
    [{ container: 'setup' }, false, true],
    [{ container: 'main' }, true, false],
    [{ name: 'cache-0' }, true, false],
    [{ name: 'cache-*', labels: { app: 'cache' } }, true, false],
    [{ name: /^db/ }, false, false],
    [{ labels: { app: 'cache', tier: 'b' } }, false, false],
    [{ namespace: 'default' }, true, false],
    [{ namespace: 'other' }, false, false],
  ];
  for (const [match, ofMain, ofSetup] of cases) {
    const rules = new PodRules({ rules: [{ match, ...fails }] });
    assert.deepEqual(rules.behaviourOf(subject, main, true), ofMain ? fails : undefined, JSON.stringify(match));
    assert.deepEqual(rules.behaviourOf(subject, setup, false), ofSetup ? fails : undefined, JSON.stringify(match));
  }
});

test('what was said last counts, and an annotation before all', () => {
  const rules = new PodRules();
  const seen: (PodBehaviour | undefined)[] = [];
  rules.onChange(() => seen.push(rules.behaviourOf(subject, main, true)), new AbortController().signal);
  rules.set({ image: /mem/ }, fails);
  rules.set({}, { exitCode: 3 });
  rules.set({ image: /mem/ }, {});
  assert.deepEqual(seen, [fails, { exitCode: 3 }, {}]);
  const own = pod('cache-0', { metadata: { annotations: { 'pods.keelson/exitCode': '7', note: 'hello' } } });
  assert.equal(rules.behaviourOf(own, main, true)?.exitCode, 7);
  const wrong = pod('cache-0', { metadata: { annotations: { 'pods.keelson/fails': 'Often' } } });
  assert.deepEqual(rules.behaviourOf(wrong, main, true), {});
});

test('images that are not among those that there are cannot be pulled', () => {
  const rules = new PodRules({ images: ['memcached:*'] });
  assert.equal(rules.behaviourOf(subject, main, true), undefined);
  assert.equal(rules.behaviourOf(subject, setup, false)?.fails, 'ImagePullBackOff');
});

test('a pod is unschedulable if one of its containers says so', () => {
  const rules = new PodRules();
  assert.equal(rules.unschedulable(subject), undefined);
  rules.set({ name: 'cache-*' }, { fails: 'Unschedulable' });
  assert.equal(rules.unschedulable(subject), 'Insufficient memory');
  rules.set({ name: 'cache-*' }, { fails: 'Unschedulable', message: 'Insufficient cpu' });
  assert.equal(rules.unschedulable(subject), 'Insufficient cpu');
});

test('annotations say what a file says', () => {
  assert.equal(annotated({ note: 'hello' }), undefined);
  const annotations = { 'pods.keelson/container': 'web', 'pods.keelson/exitAfterMs': '500', 'pods.keelson/log': '12' };
  assert.deepEqual(annotated(annotations), { match: { container: 'web' }, exitAfterMs: 500, log: '12' });
});

test('what makes no sense is refused with the place and the words that there are', () => {
  const cases = [
    [() => podRules({}), /^TypeError: pods: must be a list of rules/],
    [() => podRules([7]), /^TypeError: pods\[0\]: must be a rule, not 7$/],
    [() => podRules([{ fails: 'OOMKilled' }]), /^TypeError: pods\[0\]\.match: must be an object, not undefined$/],
    [
      () => podRules([{ match: {}, fails: 'Often' }]),
      /^TypeError: pods\[0\]\.fails must be one of ImagePullBackOff, .*, not "Often"$/,
    ],
    [() => podRules([{ match: { pod: 'a' } }]), /pods\[0\]\.match\.pod: there is no such field; there are namespace, /],
    [() => podRules([{ match: {}, exitCode: 256 }]), /pods\[0\]\.exitCode must be an integer from 0 to 255, not 256/],
    [() => podRules([{ match: {}, readyAfterMs: '1s' }]), /readyAfterMs must be a number of milliseconds, not "1s"/],
    [() => annotated({ 'pods.keelson/often': 'yes' }), /annotation pods\.keelson\/often: there is no such field/],
    [() => new PodRules().set({}, { log: 7 } as never), /^TypeError: behaviour\.log must be a text, not 7$/],
  ] as const;
  for (const [attempt, message] of cases) assert.throws(attempt, message);
});
