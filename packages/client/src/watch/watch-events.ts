/**
 * Reads the events of a watch from its bytes.
 *
 * A line that is no event is told to `onUnreadable`, and the stream goes on; an ERROR event is the server's last word
 * and is thrown as an `ApiError`.
 */
import { ApiError, type KubernetesObject, type Status, TransportError, type WatchEvent } from '@keelson/core';
import { shown, statusIn } from '../transport/outside-text.ts';
import { FrameSplitter } from './frames.ts';
import { textWithoutManagedFields } from './managed-fields.ts';
import { newestStates } from './newest-states.ts';

/** A line that is longer than any event is left out; one that goes on and on ends the watch. */
const maxPendingBytes = 64 * 1024 * 1024;

export interface WatchEventsOptions {
  /** Gets what is no event. */
  readonly onUnreadable: (error: Error) => void;
  /** Whether objects come with their managedFields: all, none, or those that one manager is among. @default 'keep' */
  readonly managedFields?: 'keep' | 'drop' | { readonly manager: string } | undefined;
  /** Whether, of the states of an object that came together, only the newest is read; asked each time. @default all are */
  readonly newestOnly?: (() => boolean) | undefined;
  /** Takes our secrets out of what errors quote. */
  readonly mask?: ((text: string) => string) | undefined;
}

export async function* watchEvents<T extends KubernetesObject>(
  action: string,
  body: AsyncIterable<Uint8Array>,
  options: WatchEventsOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const splitter = new FrameSplitter({
    onTooLong: (bytes) =>
      options.onUnreadable(new TransportError(action, `a line of ${bytes} bytes is too long for an event`)),
  });
  const decode = decoding(options.managedFields);
  for await (const chunk of body) {
    if (splitter.pendingBytes > maxPendingBytes) throw new TransportError(action, 'a line of the watch does not end');
    const lines = splitter.push(chunk);
    for (const line of options.newestOnly?.() ? newestStates(lines) : lines) {
      const event = readEvent<T>(action, decode(line), options);
      if (event) yield event;
    }
  }
  const rest = splitter.rest();
  const event = rest === undefined ? undefined : readEvent<T>(action, decode(rest), options);
  if (event) yield event;
}

function decoding(managedFields: WatchEventsOptions['managedFields'] = 'keep'): (line: Buffer) => string {
  if (managedFields === 'keep') return (line) => line.toString('utf8');
  if (managedFields === 'drop') return (line) => textWithoutManagedFields(line);
  // As the server writes it; one that writes it in another way sends objects without our entry, which are then applied.
  const entry = Buffer.from(`"manager":${JSON.stringify(managedFields.manager)}`);
  return (line) => textWithoutManagedFields(line, entry);
}

interface Frame {
  readonly type?: unknown;
  readonly object?: Partial<KubernetesObject>;
}

function readEvent<T extends KubernetesObject>(
  action: string,
  line: string,
  options: WatchEventsOptions,
): WatchEvent<T> | undefined {
  const frame = parse(action, line, options);
  if (frame === undefined) return undefined;
  const { onUnreadable } = options;
  const { type, object } = frame;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!isText(object?.metadata?.name) || !isText(object?.metadata?.resourceVersion)) {
        onUnreadable(new TransportError(action, `an ${type} event has an object without a name or resourceVersion`));
        return undefined;
      }
      return { type, object: object as T };
    case 'BOOKMARK':
      if (!isText(object?.metadata?.resourceVersion)) {
        onUnreadable(new TransportError(action, 'a bookmark has no resourceVersion'));
        return undefined;
      }
      return {
        type,
        resourceVersion: object.metadata.resourceVersion,
        initialEventsEnd: object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true',
      };
    case 'ERROR':
      throw new ApiError(action, errorStatus(object, options.mask));
    default:
      onUnreadable(new TransportError(action, `an event has the unknown type ${shownType(type, options.mask)}`));
      return undefined;
  }
}

function errorStatus(object: unknown, mask: WatchEventsOptions['mask']): Status {
  return { message: 'an ERROR event that does not say why', ...statusIn(object, mask) };
}

function shownType(type: unknown, mask: WatchEventsOptions['mask']): string {
  return typeof type === 'string' ? JSON.stringify(shown(type, mask).slice(0, 50)) : `(a ${typeof type})`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function parse(action: string, line: string, { onUnreadable }: WatchEventsOptions): Frame | undefined {
  try {
    const frame = JSON.parse(line) as unknown;
    if (typeof frame === 'object' && frame !== null) return frame;
  } catch {
    // Told below; the parser's own message quotes the line, which may be a Secret.
  }
  onUnreadable(new TransportError(action, `a line of ${line.length} characters is not an event`));
  return undefined;
}
