/** How large a request and an object may be. */
import type { Area } from '../case.ts';
import type { Refusal } from '../exchange.ts';
import { configMap } from '../objects.ts';
import { configMaps, customResourceDefinitions, secrets } from '../paths.ts';
import { invalid } from '../refusals.ts';

const limit = 3 * 1024 * 1024;

/** A ConfigMap of exactly so many bytes. */
function ofSize(bytes: number): string {
  const empty = JSON.stringify(configMap('a', { key: '' }));
  return empty.replace('"key":""', `"key":"${'x'.repeat(bytes - empty.length)}"`);
}

const tooLarge: Refusal = {
  code: 413,
  reason: 'RequestEntityTooLarge',
  message: `Request entity too large: limit is ${limit}`,
};

const tooLong = (field: string, bytes: number) => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${bytes} bytes`,
  field,
});

const patchTypes = ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];

export const sizes: Area = {
  name: 'sizes',
  proves: ['Z1'],
  cases: {
    'a body of 3 MiB is read, and one byte more is not': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, ofSize(limit))).refuses(invalid('ConfigMap', 'a', tooLong('[]', 1024 * 1024)));
      (await t.post(path, ofSize(limit + 1))).refuses(tooLarge);
      (await t.post(customResourceDefinitions, ofSize(limit + 1))).refuses(tooLarge);
    },

    'the limit holds for every verb': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      (await t.put(`${path}/a`, ofSize(limit + 1))).refuses(tooLarge);
      for (const type of patchTypes) {
        const headers = { 'content-type': `application/${type}` };
        const query = type.startsWith('apply') ? { fieldManager: 'one' } : {};
        (await t.send('PATCH', `${path}/a`, { headers, query, body: ofSize(limit + 1) })).refuses(tooLarge);
      }
      (await t.delete(`${path}/a`, { body: ofSize(limit + 1) })).refuses(tooLarge);
      (await t.delete(path, { body: ofSize(limit + 1) })).refuses(tooLarge);
      (await t.get(`${path}/a`)).is(200, { metadata: { deletionTimestamp: undefined } });
    },

    'the size is judged after the formats and before the options': async (t) => {
      const path = configMaps(await t.namespace());
      (await t.post(path, configMap('a'))).is(201);
      const body = ofSize(limit + 1);
      const dryRun = { query: { dryRun: 'x' } };
      (await t.post(path, body, dryRun)).refuses(tooLarge);
      (await t.put(`${path}/a`, body, dryRun)).refuses(tooLarge);
      (await t.mergePatch(`${path}/a`, body, dryRun)).refuses(tooLarge);
      (await t.post(path, body, { headers: { 'content-type': 'text/plain' } })).is(415);
      (await t.post(path, body, { headers: { accept: 'text/plain' } })).is(406);
      (await t.send('PATCH', `${path}/a`, { headers: { 'content-type': 'text/plain' }, body })).is(415);
    },

    'data of more than 1 MiB is too long': async (t) => {
      const namespace = await t.namespace();
      const text = 'x'.repeat(1024 * 1024 + 1);
      (await t.post(configMaps(namespace), configMap('a', { key: text }))).refuses(
        invalid('ConfigMap', 'a', tooLong('[]', 1024 * 1024)),
      );
      const data = { key: Buffer.from(text).toString('base64') };
      (await t.post(secrets(namespace), { metadata: { name: 'a' }, data })).refuses(
        invalid('Secret', 'a', tooLong('data', 1024 * 1024)),
      );
    },

    'annotations of more than 256 KiB are too long': async (t) => {
      const path = configMaps(await t.namespace());
      const annotations = { key: 'x'.repeat(256 * 1024) };
      (await t.post(path, configMap('a', {}, { annotations }))).refuses(
        invalid('ConfigMap', 'a', tooLong('metadata.annotations', 256 * 1024)),
      );
    },
  },
};
