/**
 * Five informers with different selections and stored forms over objects that change all the time, and the question at
 * the end: does every store equal a fresh list, and was every history legal?
 */
import assert from 'node:assert/strict';
import {
  type Clock,
  isAlreadyExists,
  isGone,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  metadataOf,
} from '@keelson/core';
import { ConfigMap, Namespace, Secret } from '@keelson/core/v1';
import { type Client, createInformer, type InformerOptions, type OwnInformer, type Selection } from '../src/index.ts';
import { History } from './history.ts';
import { until } from './until.ts';

interface Watch {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly options?: Pick<InformerOptions, 'managedFields' | 'transform' | 'gatherMs'>;
}

interface Watched extends Watch {
  readonly informer: OwnInformer;
  readonly history: History;
  readonly stopped: Promise<void>;
}

export interface InformerTrialOptions {
  /** The informers' time. @default systemClock */
  readonly clock?: Clock;
}

const fieldManager = 'test';
const withoutText = (object: KubernetesObject): KubernetesObject => {
  const { data } = object as ConfigMap;
  return { ...object, data: { step: data?.step } } as KubernetesObject;
};

const watches: readonly Watch[] = [
  { kind: ConfigMap, selection: {} },
  {
    kind: ConfigMap,
    selection: { namespace: 'one' },
    options: { managedFields: { manager: fieldManager }, gatherMs: 100 },
  },
  { kind: ConfigMap, selection: { labels: { color: 'red' } }, options: { transform: withoutText, gatherMs: 20 } },
  { kind: ConfigMap, selection: { namespace: 'two', fields: 'metadata.name=c3' }, options: { managedFields: 'keep' } },
  { kind: metadataOf(Secret), selection: { namespace: 'two' } },
];

export class InformerTrial implements AsyncDisposable {
  readonly errors: Error[] = [];
  /** How often the server had forgotten what an informer would have gone on from. */
  gone = 0;
  readonly watched: readonly Watched[];
  readonly #writer: Client;
  readonly #stop = new AbortController();
  #step = 0;

  /** Writes go through one client and watches through another, so that faults can hit the watches alone. */
  constructor(writer: Client, watcher: Client, { clock }: InformerTrialOptions = {}) {
    this.#writer = writer;
    const onError = (error: Error) => {
      this.errors.push(error);
      if (isGone(error)) this.gone += 1;
    };
    this.watched = watches.map((watch) => {
      const { kind, selection, options } = watch;
      const informer = createInformer(watcher, kind, { ...selection, ...options, clock, freeze: true, onError });
      const history = new History({ mayReturn: selection.labels !== undefined });
      informer.subscribe((event) => history.note(event));
      return { ...watch, informer, history, stopped: informer.start(this.#stop.signal) };
    });
  }

  static async start(writer: Client, watcher: Client, options?: InformerTrialOptions): Promise<InformerTrial> {
    for (const name of ['one', 'two']) {
      await writer.create(Namespace, { metadata: { name } }).catch(unless(isAlreadyExists));
    }
    const trial = new InformerTrial(writer, watcher, options);
    await Promise.all(trial.watched.map(({ informer }) => informer.synced));
    return trial;
  }

  /** How many watches were replaced because they said nothing. */
  get silences(): number {
    return this.watched.reduce((sum, { informer }) => sum + informer.health.counts.silences, 0);
  }

  /** Makes changes of every sort: labels that move objects in and out of selections, deletions, successors. */
  async change(count: number): Promise<void> {
    for (const end = this.#step + count; this.#step < end; this.#step++) await this.#changeOnce(this.#step);
  }

  /** Makes a change that several informers hear of in a line of this many bytes and a few more. */
  async changeAtLength(bytes: number): Promise<void> {
    const metadata = { name: 'long', namespace: 'one', labels: { color: 'red' } };
    const data = { step: String(this.#step++), text: 'x'.repeat(bytes) };
    await this.#writer.apply(ConfigMap, { metadata, data }, { fieldManager, force: true });
  }

  /** Waits until all agree with the server, and checks what was heard on the way. */
  async assertAgreement(timeoutMs = 240_000): Promise<void> {
    for (const { kind, selection, options, informer, history } of this.watched) {
      let listed: readonly KubernetesObject[] = [];
      const agrees = async () => {
        listed = (await this.#writer.list(kind, selection)).items;
        return JSON.stringify(versionsOf(listed)) === JSON.stringify(versionsOf(informer.store.list()));
      };
      await until(agrees, { what: `${kind.kind} ${JSON.stringify(selection)}`, timeoutMs });
      assert.deepEqual(byKey(informer.store.list()), byKey(listed.map((object) => asStored(object, options))));
      history.assertLegal(informer.store.list());
      assert.equal(informer.health.synced, true);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.watched.map(({ stopped }) => stopped));
  }

  async #changeOnce(step: number): Promise<void> {
    const writer = this.#writer;
    const namespace = step % 2 === 0 ? 'one' : 'two';
    const name = `c${step % 7}`;
    const labels = { color: step % 3 === 0 ? 'red' : 'blue' };
    const object = {
      metadata: { name, namespace, labels },
      data: { step: String(step), text: 'ü🚢'.repeat(step % 500) },
    };
    if (step % 5 === 4) {
      await writer.delete(ConfigMap, `${namespace}/${name}`).catch(unless(isNotFound));
      await writer.create(ConfigMap, object).catch(unless(isAlreadyExists)); // the same name, another uid
    } else if (step % 11 === 10) {
      await writer.delete(ConfigMap, `${namespace}/${name}`).catch(unless(isNotFound));
    } else await writer.apply(ConfigMap, object, { fieldManager, force: true });
    if (step % 4 !== 0) return;
    const secret = { metadata: { name, namespace: 'two' }, stringData: { step: String(step) } };
    await writer.apply(Secret, secret, { fieldManager, force: true });
  }
}

function versionsOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map((object) => `${keyOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort();
}

function byKey(objects: readonly KubernetesObject[]): Record<string, KubernetesObject> {
  return Object.fromEntries(objects.map((object) => [keyOf(object), object]));
}

/** What an informer must have made of an object, said in other words than its own. */
function asStored(object: KubernetesObject, { managedFields = 'drop', transform }: Watch['options'] = {}) {
  const { managedFields: entries = [], ...metadata } = object.metadata;
  const kept = entries.filter(
    ({ manager, operation }) =>
      managedFields === 'keep' ||
      (managedFields !== 'drop' && manager === managedFields.manager && operation === 'Apply'),
  );
  const stored = { ...object, metadata: kept.length > 0 ? { ...metadata, managedFields: kept } : metadata };
  return transform ? transform(stored) : stored;
}

function unless(predicate: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!predicate(error)) throw error;
  };
}
