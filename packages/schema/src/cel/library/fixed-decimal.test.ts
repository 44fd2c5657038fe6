import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Items } from '../language/values.ts';
import { formatText } from './text-format.ts';

// Answers of Kubernetes 1.36.4 to the messageExpression self.p.format([self.d]).
const recorded: readonly (readonly [pattern: string, value: number, expected: string])[] = [
  ['%.0f', 2.5, '2'],
  ['%.0001f', 1.25, '1.2'],
  ['%.10f', 1.5, '1.5000000000'],
  ['%.20f', 0.1, '0.10000000000000000555'],
  ['%.60f', 0.1, '0.100000000000000005551115123125782702118158340454101562500000'],
  ['%.30f', 1.2345678901234567e19, '12,345,678,901,234,567,168.000000000000000000000000000000'],
  ['%.150f', 1234567.1, `1,234,567.10000000009313225746154785156250${'0'.repeat(118)}`],
  // How many zeros are added is kept in one byte.
  ['%.256f', 0.3, '0.299999999999999988897769753748434595763683319091796875'],
  ['%.400f', 1.5, `1.5${'0'.repeat(143)}`],
  ['%.1000000f', 1.5, `1.5${'0'.repeat(63)}`],
  ['%.10000009f', 1.25, `1.25${'0'.repeat(135)}`],
  ['%.10000010f', 1.25, '%!(NOVERB)'],
  ['%.1000000000f', 1.5, '%!(NOVERB)'],
];

for (const [pattern, value, expected] of recorded) {
  test(`${value} by ${pattern} is what the real server writes`, () => {
    assert.equal(formatText(pattern, new Items([value])), expected);
  });
}

const refused: readonly (readonly [pattern: string, why: string])[] = [
  ['%.f', 'parsing "": invalid syntax'],
  ['%.9223372036854775808f', 'parsing "9223372036854775808": value out of range'],
];

for (const [pattern, why] of refused) {
  test(`the precision of ${pattern} is refused as the real server does`, () => {
    const text =
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi:';
    assert.deepEqual({ ...(formatText(pattern, new Items([1])) as object) }, { message: `${text} ${why}` });
  });
}

test('small, negative and large numbers are exact', () => {
  const format = (value: number) => formatText('%.3f', new Items([value]));
  assert.deepEqual([5e-324, -1234.5678, -0.0001, 1e21].map(format), [
    '0.000',
    '-1,234.568',
    '-0.000',
    '1,000,000,000,000,000,000,000.000',
  ]);
});
