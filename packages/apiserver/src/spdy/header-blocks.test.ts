import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderReader, HeaderWriter } from './header-blocks.ts';

test('what kubectl compressed is read, each time against what came before', async () => {
  const reader = new HeaderReader();
  const first =
    '78f9e3c6a7c202253a060606ce2248fc6482d22da30138e59514a526e6420b17d65450d0430aea2250a266b23000000000ffff';
  assert.deepEqual([...(await reader.read(Buffer.from(first, 'hex')))].sort(), [
    ['port', '80'],
    ['requestid', '0'],
    ['streamtype', 'error'],
  ]);
  const second = '22522ba85c4a44d509000000ffff';
  assert.equal((await reader.read(Buffer.from(second, 'hex'))).get('streamtype'), 'data');
  reader.close();
});

test('what is written can be read, time after time', async () => {
  const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
  for (const headers of [new Map(), new Map([['port', '80']]), new Map([['größe', 'ein']])]) {
    assert.deepEqual(await reader.read(await writer.write(headers)), headers);
  }
  writer.close();
  reader.close();
});

test('what is not compressed, and headers of more than 64 KiB, are refused', async () => {
  await assert.rejects(new HeaderReader().read(Buffer.from('no zlib')));
  const large = await new HeaderWriter().write(new Map([['a', 'x'.repeat(2 ** 17)]]));
  await assert.rejects(new HeaderReader().read(large), RangeError);
});

test('after headers that could not be read, and after the end, none are', { timeout: 10_000 }, async () => {
  const block = await new HeaderWriter().write(new Map([['port', '80']]));
  const broken = new HeaderReader();
  await assert.rejects(broken.read(Buffer.from('no zlib')));
  await assert.rejects(broken.read(block));
  const [closed, closing] = [new HeaderReader(), new HeaderReader()];
  closed.close();
  await assert.rejects(closed.read(block));
  const reading = closing.read(block);
  closing.close();
  await assert.rejects(reading);
});
