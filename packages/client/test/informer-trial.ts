/**
 * Five informers with different selections over objects that change all the time, and the question at the end: does
 * every store equal a fresh list, and was every history legal?
 */
import assert from 'node:assert/strict';
import { isAlreadyExists, isNotFound, type KubernetesObject, keyOf } from '@keelson/core';
import { ConfigMap, Namespace, Secret } from '@keelson/core/v1';
import { type Client, createInformer, type OwnInformer, type Selection } from '../src/index.ts';
import { History } from './history.ts';
import { until } from './until.ts';

interface Watched {
  readonly kind: typeof ConfigMap | typeof Secret;
  readonly selection: Selection;
  readonly informer: OwnInformer;
  readonly history: History;
  readonly stopped: Promise<void>;
}

export class InformerTrial implements AsyncDisposable {
  readonly errors: Error[] = [];
  readonly watched: readonly Watched[];
  readonly #writer: Client;
  readonly #stop = new AbortController();
  #step = 0;

  /** Writes go through one client and watches through another, so that faults can hit the watches alone. */
  constructor(writer: Client, watcher: Client) {
    this.#writer = writer;
    const selections: readonly Pick<Watched, 'kind' | 'selection'>[] = [
      { kind: ConfigMap, selection: {} },
      { kind: ConfigMap, selection: { namespace: 'one' } },
      { kind: ConfigMap, selection: { labels: { color: 'red' } } },
      { kind: ConfigMap, selection: { namespace: 'two', fields: 'metadata.name=c3' } },
      { kind: Secret, selection: { namespace: 'two' } },
    ];
    this.watched = selections.map(({ kind, selection }) => {
      const options = { ...selection, freeze: true, onError: (error: Error) => this.errors.push(error) };
      const informer = createInformer(watcher, kind, options) as unknown as OwnInformer;
      const history = new History();
      informer.subscribe((event) => history.note(event));
      return { kind, selection, informer, history, stopped: informer.start(this.#stop.signal) };
    });
  }

  static async start(writer: Client, watcher: Client): Promise<InformerTrial> {
    for (const name of ['one', 'two']) {
      await writer.create(Namespace, { metadata: { name } }).catch(unless(isAlreadyExists));
    }
    const trial = new InformerTrial(writer, watcher);
    await Promise.all(trial.watched.map(({ informer }) => informer.synced));
    return trial;
  }

  /** Makes changes of every sort: labels that move objects in and out of selections, deletions, successors. */
  async change(count: number): Promise<void> {
    for (const end = this.#step + count; this.#step < end; this.#step++) await this.#changeOnce(this.#step);
  }

  /** Waits until all agree with the server, and checks what was heard on the way. */
  async assertAgreement(timeoutMs = 60_000): Promise<void> {
    for (const { kind, selection, informer, history } of this.watched) {
      const agrees = async () => {
        const { items } = await this.#writer.list(kind, selection);
        return JSON.stringify(versionsOf(items)) === JSON.stringify(versionsOf(informer.store.list()));
      };
      await until(agrees, { what: `${kind.kind} ${JSON.stringify(selection)}`, timeoutMs });
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
    } else await writer.apply(ConfigMap, object, { fieldManager: 'test', force: true });
    if (step % 4 !== 0) return;
    const secret = { metadata: { name, namespace: 'two' }, stringData: { step: String(step) } };
    await writer.apply(Secret, secret, { fieldManager: 'test', force: true });
  }
}

function versionsOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map((object) => `${keyOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort();
}

function unless(predicate: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!predicate(error)) throw error;
  };
}
