/** CRDs on real Kubernetes: accepted, structural, and enforcing what the zod schemas say. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type KubernetesObject, sleep } from '@keelson/core';
import type { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import { conditions, crdOf, type DefinedKind, defineKind } from '@keelson/schema';
import * as meta from '@keelson/schema/meta/v1';
import * as v1 from '@keelson/schema/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import * as fc from 'fast-check';
import { z } from 'zod';
import { App, template } from '../app.ts';
import { expressed } from '../expressed.ts';
import { Memcached } from '../memcached.ts';
import { randomField } from '../random-spec.ts';

const found = await availability();

describe('CRDs on real Kubernetes', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;

  before(async () => {
    kube = await startKubernetes();
  });
  after(async () => {
    await kube?.[Symbol.asyncDispose]();
  });

  let files = 0;
  /** Runs kubectl with a file that holds the objects. */
  async function kubectl(objects: readonly object[], ...args: string[]) {
    files += 1;
    const file = join(kube.directory, `objects-${files}.yaml`);
    // Documents rather than a List, which kubectl would validate itself.
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    return await kube.kubectl(...args, '-f', file);
  }

  /** Installs the CRD, and returns it as the server has it when it can be used. */
  async function install(kind: DefinedKind): Promise<CustomResourceDefinition> {
    const crd = crdOf(kind);
    const created = await kubectl([crd], 'create');
    assert.equal(created.code, 0, created.stderr);
    assert.doesNotMatch(created.stderr, /warning/i);
    // kubectl leaves validation to the server once the server has published the kind, which it does when that is
    // established, and validates by itself before.
    const path = `apis/${kind.group}/${kind.version}`;
    const giveUpAt = systemClock.monotonic() + 300_000;
    while (!(await kube.kubectl('get', '--raw', '/openapi/v3')).stdout.includes(`"${path}"`)) {
      assert.ok(systemClock.monotonic() < giveUpAt, `${path} is published`);
      await sleep(systemClock, 100);
    }
    return JSON.parse((await kube.kubectl('get', `crd/${crd.metadata.name}`, '-o', 'json')).stdout);
  }

  function object(kind: DefinedKind, name: string, spec?: unknown) {
    return {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name, namespace: 'default' },
      ...(spec !== undefined && { spec }),
    };
  }

  /** What the server answers to an object, without keeping it. */
  async function tried(kind: DefinedKind, name: string, spec?: unknown, ...args: string[]) {
    const { code, stdout, stderr } = await kubectl(
      [object(kind, name, spec)],
      'create',
      '--dry-run=server',
      '-o',
      'json',
      ...args,
    );
    return code === 0
      ? { spec: (JSON.parse(stdout) as KubernetesObject & { spec: unknown }).spec }
      : { refused: stderr };
  }

  function assertStructural({ status }: CustomResourceDefinition) {
    const present = (status.conditions ?? [])
      .filter((condition) => condition.status === 'True')
      .map(({ type }) => type);
    assert.deepEqual(present.sort(), ['Established', 'NamesAccepted']);
  }

  describe('fields of built-in types', () => {
    test('are accepted, all of them in one kind', async () => {
      const fields = Object.entries({ ...v1, ...meta }).map(([name, type]) => [`field${name}`, type.optional()]);
      const spec = z.object(Object.fromEntries(fields));
      const versions = { v1: { storage: true, spec } };
      assertStructural(await install(defineKind({ group: 'all.example.com', kind: 'All', hub: 'v1', versions })));
    });

    test('keep a pod template as it was sent', async () => {
      assertStructural(await install(App));
      assert.deepEqual(await tried(App, 'web', { template }, '--validate=strict'), { spec: { template } });
    });
  });

  describe('a kind with every construct', () => {
    const Gallery = defineKind({
      group: 'gallery.example.com',
      kind: 'Picture',
      description: 'Shows all there is.',
      plural: 'gallery',
      shortNames: ['pic'],
      categories: ['art'],
      hub: 'v1',
      versions: {
        v1: {
          storage: true,
          spec: z.object({
            ...Object.fromEntries(expressed.map(({ schema }, index) => [`case${index}`, schema.optional()])),
            size: z.int32().optional(),
          }),
          status: z.object({
            size: z.int32(),
            selector: z.string(),
            conditions: conditions('Ready', 'example.com/Hung'),
          }),
          subresources: {
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.selector',
            },
          },
          selectableFields: ['.spec.size'],
          deprecated: 'pictures are out of fashion',
        },
      },
    });

    test('is accepted without a warning, established and structural', async () => {
      assertStructural(await install(Gallery));
    });

    test('accepts and refuses the values that its zod schemas accept and refuse', async () => {
      const verdicts = expressed.flatMap(({ accepts = [], refuses = [] }, index) => [
        ...accepts.map((value, each) => ({ name: `accept-${index}-${each}`, spec: { [`case${index}`]: value } })),
        ...refuses.map((value, each) => ({ name: `refuse-${index}-${each}`, spec: { [`case${index}`]: value } })),
      ]);
      const objects = verdicts.map(({ name, spec }) => object(Gallery, name, spec));
      const { stdout, stderr } = await kubectl(objects, 'create', '--dry-run=server', '-o', 'name');
      const accepted = new Set(stdout.split('\n').map((line) => line.split('/')[1]));
      const surprises = verdicts
        .filter(({ name }) => accepted.has(name) !== name.startsWith('accept'))
        .map(({ name, spec }) => `${name} ${expressed[Number(name.split('-')[1])]?.what} ${JSON.stringify(spec)}`);
      assert.deepEqual(surprises, [], stderr);
    });

    test('fills the defaults that zod fills', async () => {
      const field = `case${expressed.findIndex(({ what }) => what === 'nested defaults')}`;
      const { spec } = (await tried(Gallery, 'defaults', { [field]: { items: [{ port: 80 }] } })) as {
        spec: Readonly<Record<string, unknown>>;
      };
      assert.deepEqual(spec[field], {
        whole: { mb: 32 },
        filled: { mb: 64 },
        items: [{ port: 80, protocol: 'TCP' }],
      });
    });
  });

  describe('a random spec', () => {
    const fields = fc.sample(randomField, { numRuns: 150, seed: 20261115 });
    const shape = Object.fromEntries(fields.map(({ schema }, index) => [`field${index}`, schema.optional()]));
    const spec = z.object(shape);
    const Random = defineKind({
      group: 'random.example.com',
      kind: 'Random',
      hub: 'v1',
      versions: { v1: { storage: true, spec } },
    });

    test('is accepted, established and structural', async () => {
      assertStructural(await install(Random));
    });

    test('fills the defaults that zod fills', async () => {
      const input = Object.fromEntries(fields.map(({ value }, index) => [`field${index}`, value]));
      assert.deepEqual(await tried(Random, 'random', input), { spec: JSON.parse(JSON.stringify(spec.parse(input))) });
    });

    test('accepts and refuses what zod accepts and refuses', async () => {
      // Values that were made for other fields. Null is left out: where it is not allowed, the server takes it away.
      const inputs = fields.flatMap((_, index) =>
        [fields.at(index - 7)?.value, fields.at(index - 31)?.value]
          .filter((value) => value !== undefined && !JSON.stringify(value).includes('null'))
          .map((value, each) => ({ name: `${each}-${index}`, input: { [`field${index}`]: value } })),
      );
      const objects = inputs.map(({ name, input }) => object(Random, name, input));
      const { stdout } = await kubectl(objects, 'create', '--dry-run=server', '-o', 'name', '--validate=ignore');
      const accepted = new Set(stdout.split('\n').map((line) => line.split('/')[1]));
      const verdicts = inputs.map(({ name, input }) => ({ name, input, zod: spec.safeParse(input).success }));
      assert.deepEqual(
        verdicts.filter(({ name, zod }) => accepted.has(name) !== zod),
        [],
      );
      assert.deepEqual(new Set(verdicts.map(({ zod }) => zod)), new Set([true, false]));
    });
  });

  describe('Memcached', () => {
    test('is accepted, established and structural', async () => {
      assertStructural(await install(Memcached));
    });

    for (const spec of [undefined, {}, { size: null }]) {
      test(`has the size 1 when its spec is ${JSON.stringify(spec)}`, async () => {
        assert.deepEqual(await tried(Memcached, 'cache', spec), { spec: { size: 1 } });
      });
    }

    const refusedSizes: readonly (readonly [size: unknown, reason: RegExp])[] = [
      [0, /spec\.size: Invalid value: 0: .* greater than or equal to 1/],
      [6, /spec\.size: Invalid value: 6: .* less than or equal to 5/],
      [-1, /spec\.size: Invalid value: -1: .* greater than or equal to 1/],
      [1.5, /spec\.size: Invalid value: .* must be of type int32/],
      ['3', /spec\.size: Invalid value: "string": .* must be of type integer/],
    ];
    for (const [size, reason] of refusedSizes) {
      test(`of the size ${JSON.stringify(size)} is refused, with the field and the reason`, async () => {
        assert.match((await tried(Memcached, 'cache', { size })).refused ?? '', reason);
      });
    }

    test('with a name of 63 characters is accepted, of 64 refused with our message', async () => {
      assert.deepEqual(await tried(Memcached, 'a'.repeat(63)), { spec: { size: 1 } });
      const { refused } = await tried(Memcached, 'a'.repeat(64));
      assert.match(refused ?? '', /the name becomes the value of a label and may have 63 characters at most/);
    });

    test('with an unknown field is refused when the client is strict, and loses it when not', async () => {
      assert.match((await tried(Memcached, 'cache', { sise: 3 })).refused ?? '', /unknown field "spec\.sise"/);
      assert.deepEqual(await tried(Memcached, 'cache', { sise: 3 }, '--validate=ignore'), { spec: { size: 1 } });
    });

    test('takes a status by its subresource alone, complete or not, and refuses conditions beyond the limits', async () => {
      assert.equal((await kubectl([object(Memcached, 'cache')], 'create')).code, 0);
      const patch = (status: object) =>
        kube.kubectl(
          'patch',
          'memcached',
          'cache',
          '--subresource=status',
          '--type=merge',
          '-p',
          JSON.stringify({ status }),
        );
      const condition = {
        type: 'Available',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-31T10:00:00Z',
      };
      const accepted: readonly object[] = [
        {},
        { nodes: ['cache-0'] },
        { conditions: [condition, { ...condition, type: 'example.com/Foreign', observedGeneration: 1 }] },
        { observedGeneration: 1 },
      ];
      for (const status of accepted) assert.equal((await patch(status)).code, 0, JSON.stringify(status));
      const refused: readonly (readonly [condition: object, reason: RegExp])[] = [
        [{ ...condition, type: 'not a type' }, /conditions\[0\]\.type/],
        [{ ...condition, type: 'A'.repeat(317) }, /conditions\[0\]\.type: Too long/],
        [{ ...condition, status: 'Maybe' }, /conditions\[0\]\.status: Unsupported value/],
        [{ ...condition, reason: '' }, /conditions\[0\]\.reason/],
        [{ ...condition, reason: 'not camel' }, /conditions\[0\]\.reason/],
        [{ ...condition, reason: 'R'.repeat(1025) }, /conditions\[0\]\.reason: Too long/],
        [{ ...condition, message: 'm'.repeat(32769) }, /conditions\[0\]\.message: Too long/],
        [{ ...condition, observedGeneration: -1 }, /conditions\[0\]\.observedGeneration/],
        [{ ...condition, lastTransitionTime: 'now' }, /conditions\[0\]\.lastTransitionTime/],
        [{ ...condition, lastTransitionTime: undefined }, /conditions\[0\]\.lastTransitionTime: Required value/],
      ];
      for (const [each, reason] of refused) assert.match((await patch({ conditions: [each] })).stderr, reason);
    });

    test('is shown by kubectl get with its columns, the age last', async () => {
      const { stdout } = await kube.kubectl('get', 'memcacheds');
      assert.match(stdout, /^NAME +SIZE +AGE\ncache +1 +\w+\n$/);
    });

    test('is explained by kubectl', async () => {
      assert.match(
        (await kube.kubectl('explain', 'memcacheds')).stdout,
        /Memcached runs a number of Memcached servers/,
      );
      const { stdout } = await kube.kubectl('explain', 'memcacheds.spec.size');
      assert.match(stdout, /FIELD: size <integer>/);
      assert.match(stdout, /How many Memcached servers to run\./);
    });
  });
});
