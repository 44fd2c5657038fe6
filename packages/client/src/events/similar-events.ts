/**
 * Events about one object that differ in their message alone: client-go's aggregation.
 *
 * The first nine messages are events of their own. From the tenth on they become one, whose count grows; after ten quiet
 * minutes it begins anew. The server keeps an event's text as it was, so the combined one shows the message it began with.
 */
import type { Clock } from '@keelson/core';
import { BoundedMap } from './bounded-map.ts';
import type { NewEvent } from './event-object.ts';

const maxMessages = 10;
const quietMs = 600_000;

interface Group {
  readonly messages: Set<string>;
  /** What the combined event says, once there is one. */
  combined: string | undefined;
  lastSeen: number;
}

export class SimilarEvents {
  readonly #clock: Clock;
  readonly #groups: BoundedMap<string, Group>;

  constructor(clock: Clock, maxGroups: number) {
    this.#clock = clock;
    this.#groups = new BoundedMap({ limit: maxGroups, isIdle: (group) => this.#isOver(group) });
  }

  /** The event itself, or the one into which it goes. `likeness` is all that similar events have in common. */
  combine(likeness: readonly unknown[], event: NewEvent): NewEvent {
    const id = JSON.stringify(likeness);
    const now = this.#clock.monotonic();
    let group = this.#groups.get(id);
    if (!group || this.#isOver(group)) {
      group = { messages: new Set(), combined: undefined, lastSeen: now };
      this.#groups.set(id, group);
    }
    group.lastSeen = now;
    if (group.messages.has(event.message)) return event;
    if (group.messages.size < maxMessages - 1) {
      group.messages.add(event.message);
      return event;
    }
    group.combined ??= `(combined from similar events): ${event.message}`;
    return { ...event, message: group.combined };
  }

  #isOver({ lastSeen }: Group): boolean {
    return this.#clock.monotonic() - lastSeen > quietMs;
  }
}
