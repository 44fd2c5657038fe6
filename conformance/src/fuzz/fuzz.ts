/**
 * Requests without end: every operation that a server describes, with bodies by its own schemas, and now and then with
 * something in them that nobody would send.
 *
 * Promises: the same seed gives the same requests to the same description, so that a failure can be repeated.
 */
import type { Query, RequestOptions } from '../api.ts';
import type { Operation } from './operations.ts';
import { Dice, odd, oddNames, ValueMaker } from './random-value.ts';

export interface Attack {
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly namespace: string;
  /** Whether nothing that is sent may have an effect: for servers that are needed afterwards. */
  readonly isDry: boolean;
}

const json = 'application/json';
const patchTypes = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
];
const oddTypes = [
  '',
  'text/plain',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'constructor',
  '__proto__',
];
const accepts = [
  json,
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  'application/vnd.kubernetes.protobuf,application/json',
  'x',
];

export class Fuzzer {
  readonly #operations: readonly Operation[];
  readonly #options: FuzzOptions;
  readonly #dice: Dice;

  constructor(operations: readonly Operation[], options: FuzzOptions) {
    this.#operations = operations;
    this.#options = options;
    this.#dice = new Dice(options.seed);
  }

  next(): Attack {
    const dice = this.#dice;
    const operation = dice.pick(this.#operations);
    const { method } = operation;
    const name = dice.chance(0.05) ? dice.pick(oddNames) : dice.pick(['a', 'b', 'default', 'kube-system']);
    const path = operation.path
      .replace('{namespace}', encodeURIComponent(this.#options.namespace))
      .replace('{name}', safe(name));
    const type = dice.chance(0.04) ? dice.pick(oddTypes) : method === 'PATCH' ? dice.pick(patchTypes) : json;
    const body = operation.schema === undefined ? undefined : this.#body(operation, type, name);
    return {
      method,
      path,
      options: {
        query: this.#query(operation, type),
        headers: {
          accept: dice.chance(0.15) ? dice.pick(accepts) : json,
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body }),
      },
    };
  }

  #query({ method, parameters }: Operation, type: string): Query {
    const dice = this.#dice;
    const query: Record<string, string> = {};
    for (const name of parameters) {
      // A watch lasts, and a version of the future is waited for.
      if (['watch', 'follow', 'dryRun', 'resourceVersion', 'path'].includes(name) || !dice.chance(0.12)) continue;
      query[name] = dice.chance(0.5) ? dice.pick(['1', 'true', 'Strict', 'Background', 'Exact', 'a']) : oddText(dice);
    }
    if (type === 'application/apply-patch+yaml' && dice.chance(0.9)) query.fieldManager = 'fuzz';
    if (method === 'GET') return query;
    return this.#options.isDry || dice.chance(0.3) ? { ...query, dryRun: 'All' } : query;
  }

  #body({ schema = {}, schemas, apiVersion, kind, method, path }: Operation, type: string, name: string): string {
    const dice = this.#dice;
    const maker = new ValueMaker(schemas, dice, dice.pick([0, 0.003, 0.02, 0.1]));
    const value = maker.value(schema);
    if (type === 'application/json-patch+json') return this.#broken(JSON.stringify(operationsOn(value, dice)));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#broken(JSON.stringify(value));
    const { metadata } = value as { readonly metadata?: unknown };
    const isPlain = dice.chance(0.9);
    const options = method === 'DELETE';
    const whole = {
      ...value,
      ...(isPlain && !options && { apiVersion, kind }),
      ...(isPlain &&
        !options && {
          metadata: {
            ...(typeof metadata === 'object' && metadata !== null && dice.chance(0.3) ? metadata : {}),
            name: method === 'POST' ? `fuzz-${dice.below(50)}` : name,
            ...(path.includes('{namespace}') && dice.chance(0.3) && { namespace: this.#options.namespace }),
            resourceVersion: undefined,
            uid: undefined,
            ...(method === 'POST' && { generateName: undefined }),
          },
        }),
    };
    return this.#broken(JSON.stringify(whole));
  }

  /** The text, or now and then one that was damaged on the way. */
  #broken(text: string): string {
    const dice = this.#dice;
    if (!dice.chance(0.04)) return text;
    const at = dice.below(text.length);
    const [before, after] = [text.slice(0, at), text.slice(at)];
    return dice.pick([
      before,
      after,
      `${before}${dice.pick(['"', '{', '}', ',', '\\', '\u0000', '1e999', 'null', ':'])}${after}`,
      `${before}${before}${after}`,
      text.replace(/\d+/, '1e999'),
      text.replace(/"[a-z]+"/, '"__proto__"'),
    ]);
  }
}

const oddText = (dice: Dice): string => {
  const value = odd(dice);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, 300);
};

/** A name as a part of a path; what cannot be escaped is left out. */
function safe(name: string): string {
  try {
    return encodeURIComponent(name === '' || name === '.' || name === '..' ? 'a' : name);
  } catch {
    return 'a';
  }
}

function operationsOn(value: unknown, dice: Dice): unknown {
  const names = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return names.map(([name, member]) => ({
    op: dice.pick(['add', 'replace', 'remove', 'test', 'copy', 'move', 'x']),
    path: dice.pick([`/${name}`, '/metadata/labels', `/spec/${name}`, '/metadata/finalizers/-', '', '/', 'a']),
    from: dice.pick(['/metadata', '/spec', '/none', '']),
    value: member,
  }));
}
