/**
 * Values by an OpenAPI schema: mostly such as it wants them, and now and then something that it does not.
 *
 * Promises: the same randomness gives the same values. Does not: know what a kind checks beyond its schema, so that most
 * of what it makes is refused by somebody, somewhere on the way in.
 */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** A source of chance that repeats with its seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to just below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Names that mean something to somebody else. */
export const oddNames = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '.',
  '..',
  'a/b',
  'a b',
  'A',
  '-',
  '$patch',
  '$setElementOrder/containers',
  '$retainKeys',
  'f:a',
  'k:{"name":"a"}',
  'é\u{1f600}',
  '\u0000',
  '\ud800',
  'x'.repeat(300),
];

const oddTexts = [
  ...oddNames,
  '0',
  '-1',
  '1e9',
  '100%',
  '-1%',
  'true',
  'null',
  '9999-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '1Ki',
  '1.5e99',
  '0.0000000001',
  '=',
  '!a',
  'a in (b',
  '{{',
  '%',
  '<script>',
  'k8s.io/a',
  'example.com/'.repeat(40),
];

const oddNumbers = [0, -1, 1, 0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, -(2 ** 63), 1e300, 5e-324];

export const odd = (dice: Dice): unknown => {
  const kind = dice.below(9);
  if (kind < 3) return dice.pick(oddTexts);
  if (kind < 5) return dice.pick(oddNumbers);
  if (kind === 5) return dice.chance(0.5) ? null : dice.chance(0.5);
  if (kind === 6) return dice.chance(0.5) ? [] : {};
  if (kind === 7) return [dice.pick(oddTexts), null, {}, [[]], dice.pick(oddNumbers)];
  return deep(dice.pick([2, 20, 200]), dice.chance(0.5));
};

function deep(levels: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = isList ? [value] : { a: value };
  return value;
}

export class ValueMaker {
  readonly #schemas: Schemas;
  readonly #dice: Dice;
  /** How often a value is not what its schema wants. */
  readonly #oddness: number;

  constructor(schemas: Schemas, dice: Dice, oddness: number) {
    this.#schemas = schemas;
    this.#dice = dice;
    this.#oddness = oddness;
  }

  value(schema: Schema, depth = 0): unknown {
    const dice = this.#dice;
    if (dice.chance(this.#oddness)) return odd(dice);
    const name = schema.$ref?.slice('#/components/schemas/'.length);
    if (name !== undefined) return this.#named(name, depth);
    const [whole] = schema.allOf ?? [];
    if (whole !== undefined) return this.value(whole, depth);
    if (schema.oneOf !== undefined) return this.value(dice.pick(schema.oneOf), depth);
    if (schema.enum !== undefined) return dice.pick(schema.enum);
    switch (schema.type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return Array.from({ length: dice.below(depth > 8 ? 1 : 3) }, () => this.value(schema.items ?? {}, depth + 1));
      case 'integer':
        return dice.below(dice.pick([2, 10, 1000, 100_000]));
      case 'number':
        return dice.next() * 10;
      case 'boolean':
        return dice.chance(0.5);
      case 'string':
        return this.#text(schema.format);
      default:
        return dice.chance(0.5) ? 'any' : { any: 1 };
    }
  }

  #named(name: string, depth: number): unknown {
    const dice = this.#dice;
    if (name.endsWith('.Quantity')) return dice.pick(['1', '100m', '1Gi', '0.5', 2]);
    if (name.endsWith('.IntOrString')) return dice.pick([1, 80, '25%', 'http']);
    if (name.endsWith('.LabelSelector') && dice.chance(0.7)) return { matchLabels: { app: 'a' } };
    return this.value(this.#schemas[name] ?? {}, depth);
  }

  #object({ properties, required = [], additionalProperties }: Schema, depth: number): unknown {
    const dice = this.#dice;
    const members: [string, unknown][] = [];
    const likely = depth < 2 ? 0.5 : depth < 5 ? 0.3 : depth < 9 ? 0.1 : 0;
    for (const [name, schema] of Object.entries(properties ?? {})) {
      const isWanted = required.includes(name) ? dice.chance(0.98) : dice.chance(likely);
      if (isWanted) members.push([name, this.value(schema, depth + 1)]);
    }
    if (typeof additionalProperties === 'object') {
      const names = ['a', 'app', 'example.com/key', 'cpu', 'memory'];
      for (let i = dice.below(3); i > 0; i--) {
        const name = dice.chance(this.#oddness * 3) ? dice.pick(oddNames) : dice.pick(names);
        members.push([name, this.value(additionalProperties, depth + 1)]);
      }
    }
    if (dice.chance(this.#oddness)) members.push([dice.pick(oddNames), odd(dice)]);
    return Object.fromEntries(members);
  }

  #text(format: string | undefined): string {
    const dice = this.#dice;
    if (format === 'date-time') return dice.pick(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z']);
    if (format === 'byte') return Buffer.from(dice.pick(['', 'a', 'abc'])).toString('base64');
    return dice.pick(['a', 'b', 'main', 'web-1', 'example.com/main:1', 'ClusterFirst', 'Always', 'TCP', 'v1', '']);
  }
}
