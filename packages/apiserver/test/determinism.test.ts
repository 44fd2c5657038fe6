import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, configMaps, seededRandom, startServer } from './fixtures.ts';

/** A bit of everything that takes its values from the clock or from chance. */
async function story(seed: number): Promise<string> {
  await using started = startServer({ random: seededRandom(seed) });
  const { talk, clock } = started;
  const heard: string[] = [];
  const say = async (...request: Parameters<typeof talk.send>) => {
    clock.advance(700);
    const { status, text } = await talk.send(...request);
    heard.push(`${request[0]} ${request[1]} ${status} ${text}`);
  };
  using watching = await talk.watch(`${configMaps}?watch=1&allowWatchBookmarks=true`);
  await say('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await say('POST', configMaps, { ...configMap('a'), metadata: { generateName: 'made-' } });
  await say('POST', configMaps, configMap('b', { finalizers: ['example.com/wait'] }));
  await say('DELETE', `${configMaps}/b`);
  await say('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 's' },
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  });
  await say('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await say('GET', '/api/v1/pods');
  clock.advance(60_000);
  for (let index = 0; index < 5; index += 1) heard.push(JSON.stringify(await watching.next()));
  return heard.join('\n');
}

test('the same seed and the same requests give the same bytes', async () => {
  const first = await story(7);
  assert.ok(first.length > 3000);
  assert.equal(await story(7), first);
  assert.notEqual(await story(8), first);
});
