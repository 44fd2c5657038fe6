/** Events as the server wants them (events.k8s.io/v1): built from plain values, cut to the lengths it accepts. */
import { type KubernetesObject, microTimestamp } from '@keelson/core';
import type { NewEvent as EventInput } from '@keelson/core/events/v1';

/** What an event is about: any object as read. */
export type EventSubject = Pick<KubernetesObject, 'apiVersion' | 'kind'> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
};

/** An event as it is reported: what happened, why, and whether someone should look. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  /** Why, in UpperCamelCase, for machines: `ScaledUp`. At most 128 characters. */
  readonly reason: string;
  /** What was done, in UpperCamelCase: `Scale`. @default the reason */
  readonly action?: string | undefined;
  /** For people. Cut at 1024 bytes. */
  readonly message: string;
  /** Which part of the object it is about, such as `spec.containers{web}`. @default all of it */
  readonly fieldPath?: string | undefined;
  /** A second object, such as the Pod that was made. */
  readonly related?: EventSubject | undefined;
}

export interface EventSource {
  readonly controller: string;
  readonly instance: string;
}

/** How often something was seen, and when last. */
export interface Sighting {
  readonly count: number;
  readonly lastAt: number;
}

const maxNoteBytes = 1024;
const maxWordLength = 128;
const maxNameLength = 253;

/** Only what an event needs: whole objects and long texts would be held for as long as the event is remembered. */
export function withoutBallast(regarding: EventSubject, event: NewEvent): [EventSubject, NewEvent] {
  const { type, reason, action, message, fieldPath, related } = event;
  return [
    subjectOf(regarding),
    {
      type,
      reason: reason.slice(0, maxWordLength),
      action: action?.slice(0, maxWordLength),
      message: cutBytes(message, maxNoteBytes),
      fieldPath,
      related: related && subjectOf(related),
    },
  ];
}

function subjectOf({ apiVersion, kind, metadata }: EventSubject): EventSubject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}

export function eventObject(
  regarding: EventSubject,
  event: NewEvent,
  source: EventSource,
  { name, firstAt, seen }: { readonly name: string; readonly firstAt: number; readonly seen: Sighting },
): EventInput {
  return {
    metadata: { name, namespace: eventNamespace(regarding) },
    eventTime: microTimestamp(firstAt),
    type: event.type,
    reason: event.reason.slice(0, maxWordLength),
    action: (event.action ?? event.reason).slice(0, maxWordLength),
    note: cutBytes(event.message, maxNoteBytes),
    regarding: { ...reference(regarding), ...(event.fieldPath ? { fieldPath: event.fieldPath } : {}) },
    ...(event.related ? { related: reference(event.related) } : {}),
    reportingController: source.controller,
    reportingInstance: source.instance.slice(0, maxWordLength),
    ...(seen.count > 1 ? { series: eventSeries(seen) } : {}),
  };
}

export function eventSeries({ count, lastAt }: Sighting): {
  readonly count: number;
  readonly lastObservedTime: string;
} {
  return { count, lastObservedTime: microTimestamp(lastAt) };
}

/** Events about cluster-scoped objects live in `default`. */
export function eventNamespace(regarding: EventSubject): string {
  return regarding.metadata.namespace || 'default';
}

/** `<name>.<unique>`; where that is no DNS name (RBAC allows `system:node`), the kind stands for the name. */
export function eventName({ kind, metadata }: EventSubject, unique: string): string {
  const stem = metadata.name.slice(0, maxNameLength - unique.length - 1).replace(/[.-]+$/, '');
  return `${/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(stem) ? stem : kind.toLowerCase()}.${unique}`;
}

function reference({ apiVersion, kind, metadata }: EventSubject): EventInput['regarding'] {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

/** Cuts at a character's border. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const ellipsis = '…';
  let end = maxBytes - Buffer.byteLength(ellipsis);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
