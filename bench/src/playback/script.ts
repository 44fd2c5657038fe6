/**
 * A recording of one Cache, played for many: what the server answers to an operator, and what its watches tell.
 *
 * Names and uids become those of each Cache, resourceVersions go on and on. What follows the making of a Deployment comes
 * by itself, as late as it was recorded; what an operator writes to a status is what it reads back.
 */
import { cacheName } from '../engine/arena.ts';
import type { RecordedState } from './recording.ts';

/** A line of the watch of a kind. */
export interface Told {
  readonly kind: string;
  readonly line: string;
}

/** What a write leads to. */
export interface Written {
  /** The object in the answer. */
  readonly answer: string;
  readonly told: Told;
}

interface Status {
  readonly conditions?: readonly { readonly status: string }[];
}

export class Script {
  readonly #unseen: RecordedState;
  readonly #reported: RecordedState;
  readonly #made: RecordedState;
  readonly #following: readonly RecordedState[];
  readonly #uids: readonly string[];
  #resourceVersion = 1000;

  constructor(states: readonly RecordedState[]) {
    const caches = states.filter(({ kind }) => kind === 'Cache');
    const [unseen, reported] = [caches[0], caches.findLast(({ object }) => 'status' in object)];
    const [made, ...following] = states.filter(({ kind }) => kind !== 'Cache');
    if (unseen === undefined || reported === undefined) throw new RangeError('expected a recording of a Cache');
    if (made?.kind !== 'Deployment') throw new RangeError('expected a recording in which a Deployment is made first');
    this.#unseen = unseen;
    this.#reported = reported;
    this.#made = made;
    this.#following = following;
    this.#uids = [...new Set(JSON.stringify(states).match(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g))];
  }

  /** How far the watches have come. */
  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  /** A Cache as it was before any operator. */
  initial(index: number): Told {
    return this.#tell(this.#unseen, index);
  }

  deploymentMade(index: number): Written {
    return answered(this.#tell(this.#made, index));
  }

  /** What the controllers and the node do then; each is to be told so many milliseconds after the Deployment was. */
  *following(): Generator<{ readonly afterMs: number; tell(index: number): Told }> {
    for (const state of this.#following) {
      yield { afterMs: state.atMs - this.#made.atMs, tell: (index) => this.#tell(state, index) };
    }
  }

  statusWritten(index: number, status: Status): Written & { readonly isAvailable: boolean } {
    const isAvailable = status.conditions?.[0]?.status === 'True';
    const object = { ...this.#reported.object, status };
    return { ...answered(this.#tell({ ...this.#reported, object }, index)), isAvailable };
  }

  #tell({ kind, type, object }: RecordedState, index: number): Told {
    this.#resourceVersion += 1;
    const metadata = { ...object.metadata, resourceVersion: this.resourceVersion };
    const text = JSON.stringify({ type, object: { ...object, metadata } });
    const uid = String(index).padStart(12, '0');
    const named = text.replaceAll(cacheName(0), cacheName(index));
    return { kind, line: this.#uids.reduce((line, each) => line.replaceAll(each, each.slice(0, 24) + uid), named) };
  }
}

/** A server answers a write with the object that its watches tell. */
function answered(told: Told): Written {
  return { answer: told.line.slice(told.line.indexOf('"object":') + '"object":'.length, -1), told };
}
