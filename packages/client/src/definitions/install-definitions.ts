/** Installs custom resource definitions and waits until the API server serves them. */
import { type Clock, conditionOf, deadline, type InputOf, keyOf, type ObjectOf, sleep } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { systemClock } from '@keelson/core/system';
import type { Client } from '../client/client.ts';

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
 * reason that it finds later (names taken, a schema that is not structural).
 */
export async function installDefinitions(
  client: Client,
  definitions: readonly InputOf<typeof CustomResourceDefinition>[],
  { timeoutMs = 30_000, signal, clock = systemClock }: InstallDefinitionsOptions = {},
): Promise<readonly ObjectOf<typeof CustomResourceDefinition>[]> {
  return Promise.all(
    definitions.map(async (definition) => {
      const { name } = definition.metadata;
      using limit = deadline(clock, timeoutMs, `install ${name}`, signal);
      let installed = await client.apply(CustomResourceDefinition, definition, { force: true, signal: limit.signal });
      while (!isServed(installed)) {
        await sleep(clock, pollMs, limit.signal);
        installed = await client.get(CustomResourceDefinition, keyOf(installed), { signal: limit.signal });
      }
      return installed;
    }),
  );
}

function isServed(definition: ObjectOf<typeof CustomResourceDefinition>): boolean {
  for (const [type, bad] of [
    ['NamesAccepted', 'False'],
    ['NonStructuralSchema', 'True'],
  ] as const) {
    const { status, message } = conditionOf(definition, type);
    if (status === bad) throw new Error(`install ${definition.metadata.name}: ${type} is ${status}: ${message}`);
  }
  return conditionOf(definition, 'Established').status === 'True';
}
