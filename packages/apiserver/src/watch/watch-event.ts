/** A change on its way to the watchers: what many of them need of it is worked out once. */
import type { EventType, Representation } from '../encode/representation.ts';
import { withMetadata } from '../object.ts';
import { type Change, Revision } from '../store/revision.ts';
import type { Selection } from './selection.ts';

export class WatchEvent {
  readonly #change: Change;
  readonly #known = new Map<string, { readonly was: boolean; readonly is: boolean }>();

  constructor(change: Change) {
    this.#change = change;
  }

  readonly #lines = new Map<string, Buffer>();
  #departed: Revision | undefined;

  /** The line of a watch, as one buffer that all watchers with the same form send. */
  line(type: EventType, revision: Revision, represent: Representation): Buffer {
    const { name } = represent;
    if (name === undefined) return Buffer.concat(represent.event(type, revision));
    const key = `${type} ${name}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = Buffer.concat(represent.event(type, revision));
      this.#lines.set(key, line);
    }
    return line;
  }

  /** The last selected content under the number of the change that took it out of the selection. */
  departed(revision: Revision, previous: Revision): Revision {
    this.#departed ??= new Revision(
      revision.key,
      revision.number,
      withMetadata(previous.object, { resourceVersion: String(revision.number) }),
    );
    return this.#departed;
  }

  /** Whether the object was selected before the change, and whether it is now. */
  transition(selection: Selection): { readonly was: boolean; readonly is: boolean } {
    let transition = this.#known.get(selection.text);
    if (transition === undefined) {
      const { type, revision, previous } = this.#change;
      transition = {
        was: previous !== undefined && selection.matches(previous),
        is: type !== 'DELETED' && selection.matches(revision),
      };
      this.#known.set(selection.text, transition);
    }
    return transition;
  }
}
