/** Field selectors: what the server lists is what ours match, and what ours cannot read the server refuses. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { matchesFields, parseFieldSelector, printFieldSelector, type Transport } from '@keelson/core';
import fc from 'fast-check';
import { define } from './definitions.ts';
import { ask, createNamespace, type Given, type Json, must, unlessRefused } from './given.ts';

/** A kind, the fields by which it selects, and some values that they have. */
interface Population {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly fields: readonly string[];
  readonly values: readonly string[];
  readonly create: (transport: Transport) => Promise<void>;
}

const base = 'field-selected';
const other = 'field-selected-other';
const group = 'properties.example.com/v1';

const populations: readonly Population[] = [
  {
    apiVersion: group,
    kind: 'Choice',
    path: `/apis/${group}/choices`,
    fields: ['metadata.name', 'metadata.namespace', 'spec.text', 'spec.number', 'spec.flag'],
    values: ['', 'a', 'b', base, other, 'a,b', 'a=b', 'a\\', ',=\\', ' a', 'a!=b', 'ü', '0', '-7', 'true', 'false'],
    async create(transport) {
      const properties = { text: { type: 'string' }, number: { type: 'integer' }, flag: { type: 'boolean' } };
      const selectable = Object.keys(properties).map((field) => ({ jsonPath: `.spec.${field}` }));
      const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
      await define(transport, 'Choice', schema, selectable);
      const texts = ['', 'a', 'b', 'a,b', 'a=b', 'a\\', ',=\\', ' a', 'a!=b', 'ü'];
      for (const [index, namespace] of [base, other].entries()) {
        for (const [at, text] of [...texts, undefined].entries()) {
          const [number, flag] = [[0, -7, undefined][(at + index) % 3], [true, false, undefined][at % 3]];
          const metadata = { name: String.fromCharCode(97 + at) };
          const body = { apiVersion: group, kind: 'Choice', metadata, spec: { text, number, flag } };
          await must(ask(transport, 'POST', `/apis/${group}/namespaces/${namespace}/choices`, { body }));
        }
      }
    },
  },
  // Before the pods: those of nodes that are not there are swept away.
  {
    apiVersion: 'v1',
    kind: 'Node',
    path: '/api/v1/nodes',
    fields: ['metadata.name', 'spec.unschedulable'],
    values: ['', 'n0', 'n1', 'true', 'false'],
    async create(transport) {
      for (const [name, unschedulable] of [
        ['n0', true],
        ['n1', false],
      ] as const) {
        await must(ask(transport, 'POST', '/api/v1/nodes', { body: { metadata: { name }, spec: { unschedulable } } }));
      }
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    path: `/api/v1/namespaces/${base}/pods`,
    fields: [
      'metadata.name',
      'metadata.namespace',
      'spec.nodeName',
      'spec.host',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    values: ['', 'p0', base, 'n0', 'n1', 'Always', 'Never', 'nobody', 'default', 'true', 'false', 'Pending', 'Running'],
    async create(transport) {
      const path = `/api/v1/namespaces/${base}/pods`;
      for (let at = 0; at < 8; at++) {
        const spec = {
          containers: [{ name: 'main', image: 'pause' }],
          schedulerName: at % 2 ? 'nobody' : 'no-one',
          restartPolicy: at % 3 ? 'Always' : 'Never',
          ...(at % 4 && { nodeName: `n${at % 2}` }),
          ...(at % 5 === 0 && { hostNetwork: true }),
        };
        await must(ask(transport, 'POST', path, { body: { metadata: { name: `p${at}` }, spec } }));
        if (at < 5) continue;
        const status = { phase: 'Running', podIP: `10.0.0.${at}`, podIPs: [{ ip: `10.0.0.${at}` }] };
        await must(ask(transport, 'PATCH', `${path}/p${at}/status`, { type: 'merge', body: { status } }));
      }
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    path: `/apis/batch/v1/namespaces/${base}/jobs`,
    fields: ['metadata.name', 'metadata.namespace', 'status.successful'],
    values: ['', '0', '2', 'j0'],
    async create(transport) {
      const path = `/apis/batch/v1/namespaces/${base}/jobs`;
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'pause' }] } };
      for (const [name, succeeded] of [
        ['j0', 0],
        ['j2', 2],
      ] as const) {
        // Its controller leaves it alone, and so may we say what became of it.
        const spec = { managedBy: 'example.com/nobody', completions: 3, template };
        await must(ask(transport, 'POST', path, { body: { metadata: { name }, spec } }));
        const status = { startTime: '2026-01-01T00:00:00Z', succeeded };
        await must(ask(transport, 'PATCH', `${path}/${name}/status`, { type: 'merge', body: { status } }));
      }
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    path: `/api/v1/namespaces/${base}/events`,
    fields: ['metadata.name', 'involvedObject.name', 'reason', 'reportingComponent', 'source', 'type'],
    values: ['', 'e0', 'p0', 'Tried', 'me', 'example.com/me', 'Normal'],
    async create(transport) {
      const path = `/api/v1/namespaces/${base}/events`;
      const involvedObject = { kind: 'Pod', name: 'p0', namespace: base };
      const made = { eventTime: '2026-01-01T00:00:00.000000Z', reportingInstance: 'x', action: 'Try' };
      for (const [name, said] of Object.entries({
        e0: { source: { component: 'me' }, reason: 'Tried', type: 'Normal' },
        e1: { ...made, reportingComponent: 'example.com/me', reason: 'Tried', type: 'Warning' },
        e2: { type: 'Normal' },
      })) {
        await must(ask(transport, 'POST', path, { body: { metadata: { name }, involvedObject, ...said } }));
      }
    },
  },
];

function texts({ fields, values }: Population): fc.Arbitrary<string> {
  const field = fc.constantFrom(...fields);
  const operator = fc.constantFrom('=', '!=');
  const value = fc.constantFrom(...values);
  const printed = fc.record({ field, operator, value }).map((requirement) => printFieldSelector([requirement]));
  const piece = fc.constantFrom(
    ...fields,
    ...values,
    '=',
    '==',
    '!=',
    '!',
    '\\',
    '\\,',
    '\\=',
    '\\\\',
    '\\x',
    ',',
    ' ',
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(printed, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(',')) },
    { weight: 2, arbitrary: fc.tuple(field, fc.constantFrom('=', '==', '!='), piece).map((parts) => parts.join('')) },
    { weight: 2, arbitrary: fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')) },
  );
}

export function fieldSelectorProperties(given: () => Given): void {
  before(async () => {
    for (const namespace of [base, other]) await createNamespace(given().transport, namespace);
  });

  for (const population of populations) {
    const { apiVersion, kind, path, fields } = population;

    test(`field selectors of ${kind} select what they select on the server`, async () => {
      const { transport } = given();
      await population.create(transport);
      const { items } = await must(ask(transport, 'GET', path));
      const objects = (items as object[]).map((item) => ({ ...item, apiVersion, kind }) as Json);
      assert.ok(objects.length > 1);
      const key = ({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`;

      await fc.assert(
        fc.asyncProperty(texts(population), async (fieldSelector) => {
          const { code, body } = await ask(transport, 'GET', path, { query: { fieldSelector } });
          const requirements = unlessRefused(
            () => parseFieldSelector(fieldSelector),
            (error) => error instanceof TypeError,
          );
          const isKnown = requirements?.every(({ field }) => fields.includes(field)) ?? false;
          assert.equal(code, isKnown ? 200 : 400, body.message);
          if (!isKnown) return;
          const ours = objects.filter((object) => matchesFields(requirements ?? [], object));
          assert.deepEqual(ours.map(key).sort(), (body.items as Json[]).map(key).sort());
        }),
        { numRuns: 120 },
      );
    });
  }
}
