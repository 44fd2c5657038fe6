import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { defineKind } from '@keelson/schema';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type CatalogueOptions, catalogueFile } from './catalogue.ts';
import type { BundleWords } from './words.ts';

const Site = defineKind({
  group: 'web.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({}) } },
});
const sites = operator({ name: 'site-operator', controllers: [{ for: Site, owns: [ConfigMap] }] });
const words: BundleWords = {
  displayName: 'Sites',
  description: 'Runs sites.',
  provider: { name: 'Example' },
  maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
};

// biome-ignore lint/suspicious/noExplicitAny: a catalogue is looked into here and there
type Loose = any;

const added = (version: string, options: Partial<CatalogueOptions> = {}, before: readonly Loose[] = []): Loose[] =>
  parseAllDocuments(catalogueFile(sites, { words, version, ...options }, before).text).map((each) => each.toJS());
const edges = (documents: readonly Loose[]) =>
  documents
    .filter(({ schema }) => schema === 'olm.channel')
    .map(
      ({ name, entries }) =>
        `${name}: ${entries.map((each: Loose) => `${each.replaces ?? ''}>${each.name}`).join(' ')}`,
    );

test('a catalogue has the package, its channels and the bundle with its manifests', () => {
  const documents = added('1.0.0', { channels: ['stable', 'fast'] });
  assert.deepEqual(
    documents.map(({ schema, name }) => `${schema} ${name}`),
    ['olm.package site-operator', 'olm.channel fast', 'olm.channel stable', 'olm.bundle site-operator.v1.0.0'],
  );
  assert.equal(documents[0].defaultChannel, 'stable');
  const { properties, image } = documents[3];
  assert.equal(image, undefined);
  assert.deepEqual(properties.slice(0, 2), [
    { type: 'olm.gvk', value: { group: 'web.example.com', kind: 'Site', version: 'v1' } },
    { type: 'olm.package', value: { packageName: 'site-operator', version: '1.0.0' } },
  ]);
  const kinds = properties
    .slice(2)
    .map(({ value }: Loose) => JSON.parse(Buffer.from(value.data, 'base64').toString()).kind);
  assert.deepEqual(kinds.slice(0, 2), ['ClusterServiceVersion', 'CustomResourceDefinition']);
});

test('with an image of the bundle, its manifests are left there', () => {
  const [, , { image, properties, relatedImages }] = added('1.0.0', {
    bundleImage: 'example.com/b:1',
    image: 'example.com/o:1',
  });
  assert.equal(image, 'example.com/b:1');
  assert.deepEqual(
    relatedImages.map((each: Loose) => each.image),
    ['example.com/b:1', 'example.com/o:1'],
  );
  const shown = properties.find(({ type }: Loose) => type === 'olm.csv.metadata').value;
  assert.deepEqual([shown.displayName, shown.installModes.length], ['Sites', 4]);
  assert.ok(!properties.some(({ type }: Loose) => type === 'olm.bundle.object'));
});

test('versions that are in it stay, and the same one again changes nothing', () => {
  const first = added('1.0.0', { channels: ['stable', 'fast'] });
  const second = added('1.1.0', { replaces: '1.0.0' }, first);
  assert.deepEqual(edges(second), [
    'fast: >site-operator.v1.0.0',
    'stable: >site-operator.v1.0.0 site-operator.v1.0.0>site-operator.v1.1.0',
  ]);
  assert.equal(second.filter(({ schema }) => schema === 'olm.bundle').length, 2);
  assert.deepEqual(added('1.1.0', { replaces: '1.0.0' }, second), second);
});

test('a channel has one head: a version that replaces nothing there is refused', () => {
  const first = added('1.0.0');
  assert.throws(() => added('1.1.0', {}, first), {
    name: 'RangeError',
    message:
      /stable would have 2 heads \(site-operator\.v1\.0\.0, site-operator\.v1\.1\.0\); let this version replace or skip site-operator\.v1\.0\.0$/,
  });
  assert.throws(() => added('1.1.0', { replaces: '0.9.0' }, first), { message: /let this version replace or skip/ });
  const skipping = { ...words, skips: ['1.0.0'], skipRange: '<1.1.0' };
  const [, channel] = added('1.1.0', { words: skipping }, first);
  assert.deepEqual(channel.entries[1], {
    name: 'site-operator.v1.1.0',
    skips: ['site-operator.v1.0.0'],
    skipRange: '<1.1.0',
  });
});

test('what new users get is what it was, unless the default channel is said', () => {
  const first = added('1.0.0');
  assert.equal(added('1.1.0-rc.1', { channels: ['candidate'] }, first)[0].defaultChannel, 'stable');
  const said = added('1.1.0-rc.1', { channels: ['candidate'], defaultChannel: 'candidate' }, first);
  assert.equal(said[0].defaultChannel, 'candidate');
});

test('a version that others replace can be written again, and a circle is refused', () => {
  const two = added('1.1.0', { replaces: '1.0.0' }, added('1.0.0'));
  assert.deepEqual(edges(added('1.0.0', {}, two)), [
    'stable: site-operator.v1.0.0>site-operator.v1.1.0 >site-operator.v1.0.0',
  ]);
  assert.throws(() => added('1.0.0', { words: { ...words, skips: ['1.1.0'] } }, two), {
    message: /would have 0 heads \(\); replace a version that nothing else replaces$/,
  });
});
