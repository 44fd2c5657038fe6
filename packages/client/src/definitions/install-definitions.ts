/** Installs custom resource definitions and waits until the API server serves them. */
import {
  ApiError,
  anySignal,
  type Clock,
  conditionOf,
  DeadlineExceededError,
  deadline,
  type InputOf,
  keyOf,
  type ObjectOf,
  sleep,
  TransportError,
} from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import type { Client } from '../client/client.ts';
import { failureStatus } from '../transport/response.ts';

/** How long to wait until the definitions are served. */
export interface InstallDefinitionsOptions {
  /** How long a definition may take to be served. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** Between two looks at a definition; the API server takes a fraction of a second to serve a new one. */
const pollMs = 100;

/**
 * Applies the definitions and resolves with them once all are served. Rejects when the server refuses one, also for a
 * reason that it finds later (names taken, a schema that is not structural), and then no longer waits for the others.
 *
 * The client needs a `fieldManager`, since definitions are applied on the server.
 */
export async function installDefinitions(
  client: Client,
  definitions: readonly InputOf<typeof CustomResourceDefinition>[],
  { timeoutMs = 30_000, signal, clock = systemClock }: InstallDefinitionsOptions = {},
): Promise<readonly ObjectOf<typeof CustomResourceDefinition>[]> {
  const siblings = new AbortController();
  using ended = anySignal([signal, siblings.signal]);
  const installing = definitions.map(async (definition) => {
    const action = `install ${definition.metadata.name}`;
    using limit = deadline(clock, timeoutMs, action, ended.signal);
    try {
      let installed = await client.apply(CustomResourceDefinition, definition, { force: true, signal: limit.signal });
      while (!isServed(installed)) {
        await sleep(clock, pollMs, limit.signal);
        installed = await client.get(CustomResourceDefinition, keyOf(installed), { signal: limit.signal });
      }
      return installed;
    } catch (error) {
      if (!(error instanceof DeadlineExceededError) || ended.signal.aborted) throw error;
      throw new TransportError(action, `it is not served after ${timeoutMs / 1000} s`, { cause: error });
    }
  });
  try {
    return await Promise.all(installing);
  } catch (error) {
    siblings.abort(error);
    await Promise.allSettled(installing); // nothing goes on unawaited
    throw error;
  }
}

function isServed(definition: ObjectOf<typeof CustomResourceDefinition>): boolean {
  for (const [type, bad] of [
    ['NamesAccepted', 'False'],
    ['NonStructuralSchema', 'True'],
  ] as const) {
    const { status, message } = conditionOf(definition, type);
    if (status === bad) {
      throw new ApiError(`install ${definition.metadata.name}`, failureStatus(422, `${type} is ${status}: ${message}`));
    }
  }
  return conditionOf(definition, 'Established').status === 'True';
}
