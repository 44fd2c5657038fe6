import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { isUserFacingError } from '../machine/user-facing-error.ts';
import { librariesIn } from './contents.ts';
import { imageArchive } from './image.ts';
import { tar } from './tar.ts';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly content: Buffer;
}

/** Reads an archive back, independently of how it was written. */
function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let offset = 0; archive[offset] !== 0; ) {
    const header = archive.subarray(offset, offset + 512);
    const text = (from: number, length: number) => header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
    const checksum = header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
    assert.equal(Number.parseInt(text(148, 8), 8), checksum);
    const size = Number.parseInt(text(124, 12), 8);
    entries.push({
      name: text(0, 100),
      type: text(156, 1),
      mode: Number.parseInt(text(100, 8), 8),
      content: archive.subarray(offset + 512, offset + 512 + size),
    });
    offset += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

test('a tar archive holds what was put in, in blocks of 512', () => {
  const archive = tar([
    { type: 'directory', name: 'bin' },
    { type: 'file', name: 'bin/busybox', content: Buffer.alloc(513, 'x'), mode: 0o755 },
    { type: 'symlink', name: 'bin/sh', target: 'busybox' },
  ]);
  assert.equal(archive.length % 512, 0);
  assert.deepEqual(
    entriesOf(archive).map(({ name, type, mode, content }) => [name, type, mode, content.length]),
    [
      ['bin/', '5', 0o755, 0],
      ['bin/busybox', '0', 0o755, 513],
      ['bin/sh', '2', 0o777, 0],
    ],
  );
});

test('a name that does not fit is refused rather than cut', () => {
  assert.throws(() => tar([{ type: 'directory', name: 'x'.repeat(100) }]), RangeError);
});

test('an image names its layer by the hash of its content', () => {
  const image = imageArchive({
    tags: ['docker.io/library/tiny:1'],
    layer: [{ type: 'file', name: 'tiny', content: Buffer.from('#!') }],
    command: ['/tiny'],
    user: '1001',
  });
  const files = new Map(entriesOf(image).map(({ name, content }) => [name, content]));
  const [manifest] = JSON.parse(String(files.get('manifest.json')));
  const config = JSON.parse(String(files.get(manifest.Config)));
  const layer = files.get('layer.tar') ?? Buffer.alloc(0);
  assert.deepEqual(manifest.RepoTags, ['docker.io/library/tiny:1']);
  assert.deepEqual(config.rootfs.diff_ids, [`sha256:${createHash('sha256').update(layer).digest('hex')}`]);
  assert.equal(config.config.User, '1001');
  assert.deepEqual(config.config.Cmd, ['/tiny']);
});

test('libraries are read from ldd, the loader at the place that the program names', () => {
  const output = `	linux-vdso.so.1 (0x00007fdfa7990000)
	libevent-2.1.so.7 => /cache/usr/lib/x86_64-linux-gnu/libevent-2.1.so.7 (0x00007fdfa78cb000)
	/lib64/ld-linux-x86-64.so.2 (0x00007fdfa7992000)
`;
  assert.deepEqual(librariesIn(output), [
    { path: '/cache/usr/lib/x86_64-linux-gnu/libevent-2.1.so.7', directory: 'usr/lib' },
    { path: '/lib64/ld-linux-x86-64.so.2', directory: 'lib64' },
  ]);
});

test('a library that is not there is a problem with its name', () => {
  assert.throws(
    () => librariesIn('	libevent-2.1.so.7 => not found\n'),
    (error) => isUserFacingError(error) && error.message.includes('libevent-2.1.so.7'),
  );
});
