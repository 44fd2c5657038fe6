/** Certificates in files that somebody else renews. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nextTurn, systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { VirtualClock } from '@keelson/testing';
import { certificatesFromFiles, usualCertificateFiles } from '../src/certificates/certificates-from-files.ts';

const authority = createAuthority(systemRandom);
const day = 24 * 3_600_000;

test('what replaces the files is served within ten seconds, what cannot be used is not, and nothing that has ended is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-'));
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const clock = new VirtualClock();
  const errors: string[] = [];
  const options = { clock, onError: (error: Error) => void errors.push(error.message) };
  const issue = (days: number) =>
    authority.issueServer('web', ['web'], { startsAt: clock.now(), endsAt: clock.now() + days * day });
  const write = async ({ certificate, key }: { readonly certificate: string; readonly key: string }) => {
    await writeFile(files.certFile, certificate);
    await writeFile(files.keyFile, key);
  };
  /** Lets time pass; reading takes a thread, for which virtual time does not wait. */
  const until = async (holds: () => boolean) => {
    for (let turns = 1; turns < 50_000 && !holds(); turns += 1) {
      if (turns % 100 === 0) await clock.advance(1000);
      await nextTurn();
    }
    assert.ok(holds());
  };
  try {
    await assert.rejects(certificatesFromFiles(files, options), /ENOENT/);
    const [first, second] = [issue(2), issue(90)];
    assert.equal(await usualCertificateFiles([files]), undefined);
    await write(first);
    assert.equal(await usualCertificateFiles([files]), files);
    await using certificates = await certificatesFromFiles(files, options);
    let changes = 0;
    using _ = certificates.subscribe(() => {
      changes += 1;
    });
    assert.deepEqual(certificates.current, first);

    await writeFile(files.keyFile, second.key);
    await until(() => errors.length > 0);
    assert.match(errors[0] ?? '', /tls\.key does not fit .*tls\.crt\. The one before is served/);
    assert.deepEqual(certificates.current, first);

    await write(second);
    await until(() => changes === 1);
    assert.deepEqual(certificates.current, second);
    assert.equal(certificates.health.expiresAt, Date.UTC(2026, 3, 1));

    await clock.advance(90 * day);
    assert.equal(certificates.current, undefined);
    assert.match(certificates.health.problem ?? '', /tls\.crt expired at 2026-04-01T.*; see to it that whoever renews/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
