import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { fetchSnapshot, parse, readSnapshot } from '../../src/documents.ts';
import { documentsFolder } from '../../src/folders.ts';

const machine = await availability();

test('the checked-in OpenAPI documents are those that the API server gives', {
  skip: machine.available ? false : machine.reason,
}, async () => {
  await using kube = await startKubernetes();
  const get = async (path: string) => {
    const { code, stdout, stderr } = await kube.kubectl('get', '--raw', path);
    assert.equal(code, 0, stderr);
    return Buffer.from(stdout);
  };
  const expected = readSnapshot(documentsFolder);

  // The server is ready before its aggregator has gathered every group.
  using limit = deadline(systemClock, 300_000, 'the index of documents');
  let served = await fetchSnapshot(get);
  while (served.documents.size < expected.documents.size) {
    await sleep(systemClock, 500, limit.signal);
    served = await fetchSnapshot(get);
  }

  assert.equal(served.version, expected.version);
  assert.deepEqual([...served.documents.keys()], [...expected.documents.keys()]);
  const documents = parse(expected);
  for (const [path, document] of parse(served)) assert.deepEqual(document, documents.get(path), path);
  assert.deepEqual(JSON.parse(served.index.toString()), JSON.parse(expected.index.toString()));
});
