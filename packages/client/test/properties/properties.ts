/** The values of `@keelson/core` against the answers of a server: random questions, and both must agree. */
import { after, before, describe } from 'node:test';
import type { Transport } from '@keelson/core';
import * as fc from 'fast-check';
import { connect } from '../../src/index.ts';
import { defaultSeed } from '../hostile/seeded.ts';
import type { Offer, Server } from '../suites/server.ts';
import { fieldSelectorProperties } from './field-selectors.ts';
import { createNamespace } from './given.ts';
import { labelSelectorProperties } from './label-selectors.ts';
import { nameProperties } from './names.ts';
import { patchProperties } from './patches.ts';
import { quantityProperties } from './quantities.ts';

const namespace = 'properties';

// The same questions in every run, so that none fails by chance; `KEELSON_SEED` gives others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: defaultSeed });

interface Extent {
  /** Whether the server keeps quotas. @default true */
  readonly quotas?: boolean;
}

export function describeProperties(offer: Offer, { quotas = true }: Extent = {}): void {
  describe(`values are what they are on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;

    before(async () => {
      server = await offer.start();
      transport = connect(server.config);
      await createNamespace(transport, namespace);
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    const given = () => ({ transport, namespace });
    describe('label selectors', () => labelSelectorProperties(given));
    describe('field selectors', () => fieldSelectorProperties(given));
    describe('patches', () => patchProperties(given));
    describe('quantities', () => quantityProperties(given, quotas));
    describe('names', () => nameProperties(given));
  });
}
