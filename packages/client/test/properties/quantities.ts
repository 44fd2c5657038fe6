/** Quantities: read, refused, shown, rounded, compared and added as the server does it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  QuantityError,
  quantityToNumber,
  roundUpQuantity,
  subtractQuantities,
} from '@keelson/core';
import fc from 'fast-check';
import { until } from '../until.ts';
import { define } from './definitions.ts';
import { ask, createNamespace, type Given, must, unlessRefused } from './given.ts';

const digits = fc.oneof(
  fc.nat(2000).map(String),
  fc.bigInt(0n, 10n ** 12n).map(String),
  fc.bigInt(0n, 10n ** 30n).map(String),
  fc.constantFrom('', '0', '00', '000', '500', '999', '1000', '1024', '1048576', '9223372036854775807'),
);
const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei');
/** Real servers write numbers out to compare them: with a million digits they would do nothing else any more. */
const exponent = fc
  .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-', '0'), fc.nat(30))
  .map((parts) => parts.join(''));
const fraction = fc.oneof(
  fc.constant(''),
  digits.map((part) => `.${part}`),
);
const unsigned = fc
  .tuple(digits, fraction, fc.oneof({ weight: 3, arbitrary: suffix }, exponent))
  .map((parts) => parts.join(''));
const signed = fc.tuple(fc.constantFrom('', '', '', '+', '-'), unsigned).map((parts) => parts.join(''));
const garbage = fc.string({ unit: fc.constantFrom(...'0123456789.+-eEinumkKMGTPx'), maxLength: 7 });

const read = (text: string): Quantity | undefined =>
  unlessRefused(
    () => parseQuantity(text),
    (error) => error instanceof QuantityError,
  );

export function quantityProperties(given: () => Given, quotas: boolean): void {
  const dryRun = { dryRun: 'All' };
  const autoscalers = () => `/apis/autoscaling/v2/namespaces/${given().namespace}/horizontalpodautoscalers`;
  const pods = () => `/api/v1/namespaces/${given().namespace}/pods`;
  const comparisons = () => `/apis/properties.example.com/v1/namespaces/${given().namespace}/comparisons`;

  before(async () => {
    const { transport } = given();
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
    const body = { metadata: { name: 'shown' }, spec: { maxReplicas: 1, scaleTargetRef } };
    await must(ask(transport, 'POST', autoscalers(), { body }));
    await define(transport, 'Comparison', comparisonSchema);
  });

  test('a quantity is shown as the server shows it, and refused where the server refuses it', async () => {
    /** Of all quantities, those in the status of an autoscaler are not looked at any further. */
    const shown = async (value: string): Promise<string | undefined> => {
      const metrics = [{ type: 'External', external: { metric: { name: 'x' }, current: { value } } }];
      const { code, body } = await ask(given().transport, 'PATCH', `${autoscalers()}/shown/status`, {
        query: dryRun,
        type: 'merge',
        body: { status: { currentMetrics: metrics } },
      });
      if (code === 422) return undefined;
      assert.equal(code, 200, JSON.stringify(body));
      return body.status.currentMetrics[0].external.current.value;
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: signed }, garbage), async (text) => {
        const quantity = read(text);
        assert.equal(quantity && printQuantity(quantity), await shown(text));
      }),
      { numRuns: 500 },
    );
  });

  test('a resource of a pod is rounded up as the server rounds it', async () => {
    const rounded = async (cpu: string): Promise<string> => {
      const containers = [{ name: 'main', image: 'pause', resources: { requests: { cpu } } }];
      const body = { metadata: { name: 'rounded' }, spec: { containers } };
      const pod = await must(ask(given().transport, 'POST', pods(), { query: dryRun, body }));
      return pod.spec.containers[0].resources.requests.cpu;
    };
    await fc.assert(
      fc.asyncProperty(unsigned, async (text) => {
        const quantity = read(text);
        fc.pre(quantity !== undefined);
        assert.equal(printQuantity(roundUpQuantity(quantity, -3)), await rounded(text));
      }),
      { numRuns: 120 },
    );
  });

  test('quantities are compared, added and subtracted as CEL does it on the server', async () => {
    const exact = ({ digits, exponent }: Quantity) => `${digits}e${exponent}`;
    await fc.assert(
      fc.asyncProperty(signed, signed, async (left, right) => {
        const [a, b] = [read(left), read(right)];
        fc.pre(a !== undefined && b !== undefined);
        const [sum, difference] = [exact(addQuantities(a, b)), exact(subtractQuantities(a, b))];
        const [order, number] = [compareQuantities(a, b), quantityToNumber(a)];
        const spec = { a: left, b: right, order, number, sum, difference };
        const body = { apiVersion: 'properties.example.com/v1', kind: 'Comparison', metadata: { name: 'x' }, spec };
        await must(ask(given().transport, 'POST', comparisons(), { query: dryRun, body }));
      }),
      { numRuns: 250 },
    );
  });

  const skip = quotas ? false : 'the server keeps no quotas';
  test('a sum is shown as the server shows it: in the usage of a quota, to which a pod adds', { skip }, async () => {
    const { transport } = given();
    const memory = fc.oneof(
      fc
        .tuple(fc.nat(2000), fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'))
        .map((parts) => parts.join('')),
      fc.constantFrom('0', '0Ki', '1.5', '0.5Ki', '1500m', '1.500', '7Ei', '8Ei', '9E', '1e19'),
    );
    const namespace = await createNamespace(transport, `${given().namespace}-summed`);
    const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const hard = { 'requests.memory': '1e30' };
    await must(ask(transport, 'POST', path, { body: { metadata: { name: 'summed' }, spec: { hard } } }));
    // Its controller counts once; from then on it is admission that adds, to what is there.
    await until(async () => (await must(ask(transport, 'GET', `${path}/summed`))).status.used !== undefined);
    /** What was used comes from the storage, which knows it as it is shown, and without the family if that is lost. */
    const stored = (quantity: Quantity) => parseQuantity(printQuantity(quantity));
    let count = 0;
    const sum = async (used: string, added: string): Promise<string> => {
      const status = { hard, used: { 'requests.memory': used } };
      await must(ask(transport, 'PATCH', `${path}/summed/status`, { type: 'merge', body: { status } }));
      const containers = [{ name: 'main', image: 'pause', resources: { requests: { memory: added } } }];
      const spec = { containers, schedulerName: 'nobody' };
      const pod = { metadata: { name: `added-${count++}` }, spec };
      await must(ask(transport, 'POST', `/api/v1/namespaces/${namespace}/pods`, { body: pod }));
      return (await must(ask(transport, 'GET', `${path}/summed`))).status.used['requests.memory'];
    };
    await fc.assert(
      fc.asyncProperty(memory, memory, async (left, right) => {
        const a = stored(roundUpQuantity(parseQuantity(left), -3));
        const b = roundUpQuantity(parseQuantity(right), -3);
        fc.pre(b.digits !== 0n); // a pod that asks for nothing leaves the quota alone
        const expected = printQuantity(stored(addQuantities(a, b)));
        let shown = await sum(left, right);
        // The controller counts all of them again every few minutes, which may be just now.
        for (let tries = 1; tries < 5 && shown !== expected; tries += 1) shown = await sum(left, right);
        assert.equal(expected, shown);
      }),
      { numRuns: 80 },
    );
  });
}

const text = { type: 'string', maxLength: 80 };
const q = (name: string) => `quantity(self.${name})`;

/** Refuses an object that claims anything else about its quantities than CEL does. */
const comparisonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        order: { type: 'integer' },
        number: { type: 'number' },
        sum: text,
        difference: text,
      },
      'x-kubernetes-validations': [
        { rule: `${q('a')}.compareTo(${q('b')}) == self.order` },
        { rule: `${q('a')}.asApproximateFloat() == self.number` },
        { rule: `${q('a')}.add(${q('b')}) == ${q('sum')}` },
        { rule: `${q('a')}.sub(${q('b')}) == ${q('difference')}` },
      ],
    },
  },
};
