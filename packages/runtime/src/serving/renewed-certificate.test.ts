import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@keelson/testing';
import { type CertificatePair, renewCertificate } from './renewed-certificate.ts';

const pair = (cert: string, key = `key of ${cert}`): CertificatePair => ({
  cert: Buffer.from(cert),
  key: Buffer.from(key),
});

/** Files that a test replaces, and what happened with them, each at its second. */
function renewed() {
  const clock = new VirtualClock();
  const happened: string[] = [];
  const note = (what: string) => void happened.push(`${clock.monotonic() / 1000} ${what}`);
  const files: { content: CertificatePair | Error } = { content: pair('a') };
  const renewal = renewCertificate({
    what: 'metrics',
    current: pair('a'),
    read: async () => {
      if (files.content instanceof Error) {
        note('failed');
        throw files.content;
      }
      return files.content;
    },
    use(pair) {
      if (String(pair.key) !== `key of ${pair.cert}`) throw new Error('they do not fit');
      note(`used ${pair.cert}`);
    },
    onError: ({ message, cause }) => note(`${message} (${(cause as Error).message})`),
    clock,
  });
  return { clock, happened, files, renewal };
}

test('a new pair is used with the next look, and the one in use is not used again', async () => {
  const { clock, happened, files, renewal } = renewed();
  await clock.advance(15_000);
  files.content = pair('b');
  await clock.advance(30_000);
  files.content = pair('b', 'key of b');
  await clock.advance(10_000);
  assert.deepEqual(happened, ['20 used b']);
  files.content = pair('c');
  renewal[Symbol.dispose]();
  await clock.advance(60_000);
  assert.deepEqual(happened, ['20 used b'], 'nothing after its end');
});

test('a new key alone is a new pair, too', async () => {
  const { clock, happened, files, renewal } = renewed();
  files.content = pair('a', 'another key');
  await clock.advance(11_000);
  renewal[Symbol.dispose]();
  assert.match(happened[0] ?? '', /^11 The new certificate .*: they do not fit\./);
});

test('an error that passes is tried again within a second, and nobody hears of it', async () => {
  const { clock, happened, files, renewal } = renewed();
  files.content = new Error('EIO');
  await clock.advance(10_000);
  files.content = pair('b');
  await clock.advance(1000);
  assert.deepEqual(happened, ['10 failed', '11 used b']);
  files.content = new Error('EIO');
  await clock.advance(10_000);
  assert.deepEqual(happened.slice(2), ['21 failed'], 'then every ten seconds as before');
  renewal[Symbol.dispose]();
});

test('one that stays is reported once, and tried again later each time, up to every look', async () => {
  const { clock, happened, files, renewal } = renewed();
  files.content = new Error('EACCES');
  await clock.advance(46_000);
  const report =
    'The new certificate of the metrics server cannot be used: EACCES. The one before is served until that is mended. (EACCES)';
  assert.deepEqual(happened, [
    '10 failed',
    '11 failed',
    `11 ${report}`,
    '13 failed',
    '17 failed',
    '25 failed',
    '35 failed',
    '45 failed',
  ]);
  files.content = pair('b');
  await clock.advance(10_000);
  files.content = new Error('EACCES');
  await clock.advance(11_000);
  assert.deepEqual(happened.slice(8), ['55 used b', '65 failed', '66 failed', `66 ${report}`], 'a new one is news');
  renewal[Symbol.dispose]();
});

test('it ends while the files are read', async () => {
  const clock = new VirtualClock();
  const reading = Promise.withResolvers<CertificatePair>();
  const renewal = renewCertificate({
    what: 'metrics',
    current: pair('a'),
    read: () => reading.promise,
    use: () => assert.fail(),
    onError: () => assert.fail(),
    clock,
  });
  await clock.advance(10_000);
  renewal[Symbol.dispose]();
  reading.resolve(pair('b'));
  await clock.advance(60_000);
});
