/**
 * Whatever reads what a stranger wrote takes time in proportion to its size, or is paid for: every function of CEL, and
 * every format, measured with hostile inputs of two sizes.
 */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, type TestContext, test } from 'node:test';
import { BudgetExceeded, perCallLimit } from '../src/cel/language/budget.ts';
import type { Overload } from '../src/cel/language/environment.ts';
import type { Type } from '../src/cel/language/types.ts';
import {
  CelError,
  Duration,
  Entries,
  Items,
  keyText,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../src/cel/language/values.ts';
import { kubernetesEnvironment } from '../src/cel/library/kubernetes-environment.ts';
import { formatNames, formatOf } from '../src/formats/formats.ts';
import {
  configKeyProblems,
  label1035Problems,
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../src/metadata/name-rules.ts';
import { growth, hostileTexts } from './growth.ts';
import { startHangWatch } from './hang-watch.ts';

const watch = startHangWatch();
after(() => watch[Symbol.asyncDispose]());
beforeEach((t) => watch.begin((t as TestContext).fullName));

const step = 16;
/** Eight times as steep as linear is still no square. */
const slack = 8;
const largest = 32_768;
/** Of what a call may cost, a call in this test costs a part: what costs more is paid for. */
const affordable = perCallLimit / 50;

describe('time grows with the size of a text alone: format', () => {
  for (const name of formatNames) {
    test(name, () => {
      const check = formatOf(name);
      assert.ok(check !== undefined);
      for (const text of hostileTexts) {
        const [small, large] = [text(largest / step), text(largest)];
        const ratio = growth(
          () => check(small),
          () => check(large),
          step * slack,
        );
        assert.ok(ratio < step * slack, `${ratio.toFixed(1)} times as long for ${large.slice(0, 30)}…`);
      }
    });
  }
});

describe('time grows with the size of a text alone: names', () => {
  const rules = {
    configKeyProblems,
    label1035Problems,
    labelProblems,
    labelValueProblems,
    qualifiedNameProblems,
    subdomainProblems,
  };
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => {
      for (const text of hostileTexts) {
        const [small, large] = [text(largest / step), text(largest)];
        const ratio = growth(
          () => rule(small),
          () => rule(large),
          step * slack,
        );
        assert.ok(ratio < step * slack, `${ratio.toFixed(1)} times as long for ${large.slice(0, 30)}…`);
      }
    });
  }
});

const items: Readonly<Record<string, (i: number) => Value>> = {
  bool: (i) => i % 2 === 0,
  bytes: (i) => Buffer.from(`${i}`),
  double: (i) => i,
  duration: (i) => new Duration(BigInt(i)),
  int: (i) => BigInt(i),
  list: (i) => new Items([BigInt(i)]),
  opaque: (i) => new Optional(BigInt(i)),
  timestamp: (i) => new Timestamp({ seconds: i, nanos: 0 }),
  uint: (i) => new Uint(BigInt(i)),
};

/** A value of a type and size; undefined for types that have no size, and where there is none to be had. */
function argumentOf(type: Type, size: number, text: (size: number) => string): Value | undefined {
  switch (type.kind) {
    case 'string':
    case 'dyn':
    case 'param':
      return text(size);
    case 'bytes':
      return Buffer.from(text(size));
    case 'int':
      return BigInt(size);
    case 'list': {
      const make = items[type.params[0].kind] ?? ((i: number) => `${text(8)}${i}`);
      return new Items(Array.from({ length: size / 8 }, (_, i) => make(i)));
    }
    case 'map':
      return new Entries(
        new Map(Array.from({ length: size / 8 }, (_, i) => [keyText(`k${i}`) ?? '', [`k${i}`, BigInt(i)]] as const)),
      );
    case 'struct':
      return made(type.name, text(size));
    default:
      return undefined;
  }
}

const makers: Readonly<Record<string, string>> = {
  'kubernetes.Semver': 'semver',
  'kubernetes.URL': 'url',
  'kubernetes.Quantity': 'quantity',
};

function made(name: string, text: string): Value | undefined {
  const maker = kubernetesEnvironment.functions.get(makers[name] ?? '')?.[0];
  const value = maker?.run(text);
  return value === undefined || value instanceof CelError ? undefined : value;
}

type Args = readonly Value[];

/** Arguments of two sizes, such that the call of the larger one is within what a call may cost. */
function* argumentsOf({ args, cost, run }: Overload): Iterable<readonly [small: Args, large: Args, costs: number]> {
  const isSearch = args.filter(({ kind }) => kind === 'string').length > 1;
  for (const text of isSearch ? hostileTexts.slice(0, 12) : hostileTexts) {
    // The second text nearly matches the first one everywhere.
    const others = isSearch
      ? [
          text,
          (size: number) => `${text(size / 2)}b`,
          (size: number) => `b${text(size / 2)}`,
          // The engine's own search passes the others quickly, and takes the square of the time for this one.
          (size: number) => `${text(size / 4)}b${text(size / 4)}`,
        ]
      : [text];
    // A count or a position: near the beginning, and where there is much on both sides.
    const isNumbered = isSearch && args.some(({ kind }) => kind === 'int');
    const numbers = [() => 1, ...(isNumbered ? [(size: number) => size / 2] : [])];
    for (const [other, number] of others.flatMap((each) => numbers.map((count) => [each, count] as const))) {
      const of = (size: number) =>
        args.map((type, i) =>
          argumentOf(type, i > 0 && type.kind === 'int' ? number(size) : size, i === 0 ? text : other),
        );
      for (let size = largest; size >= 64; size /= 2) {
        const [small, large] = [of(size / step), of(size)];
        if (!isComplete(small) || !isComplete(large)) break;
        // What most calls cost is known before they run, and some must not run at this size.
        if ((cost?.(large, null) ?? 1) > affordable) continue;
        const costOf = (values: Args) => cost?.(values, run(...values)) ?? 1;
        let costs: readonly [number, number];
        try {
          costs = [costOf(small), costOf(large)];
        } catch (error) {
          if (error instanceof BudgetExceeded) continue;
          throw error;
        }
        if (costs[1] > affordable) continue;
        yield [small, large, costs[1] / Math.max(1, costs[0])];
        break;
      }
      if (!args.some(isText)) return;
    }
  }
}

/** Whether values of the type are made of texts. */
function isText(type: Type): boolean {
  if (type.kind === 'list') return items[type.params[0].kind] === undefined;
  return ['bytes', 'dyn', 'param', 'string', 'struct'].includes(type.kind);
}

function isComplete(values: readonly (Value | undefined)[]): values is Args {
  return values.every((value) => value !== undefined);
}

describe('time grows with the size of the arguments, or with the cost: CEL', () => {
  for (const [name, overloads] of kubernetesEnvironment.functions) {
    for (const overload of overloads) {
      test(`${name} ${overload.id}`, () => {
        for (const [small, large, costs] of argumentsOf(overload)) {
          const limit = Math.max(step, costs) * slack;
          const ratio = growth(
            () => overload.run(...small),
            () => overload.run(...large),
            limit,
          );
          const shown = large.map((value) => String(value).slice(0, 20)).join(', ');
          assert.ok(ratio < limit, `${ratio.toFixed(1)} times as long for ${shown}`);
        }
      });
    }
  }
});
