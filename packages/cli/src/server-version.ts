/** Which Kubernetes answers, and whether it is one that operators on Keelson can work with. */
import type { Client } from '@keelson/client';
import { isObject } from '@keelson/core';
import { CommandError } from './command-error.ts';

/** The oldest minor version of Kubernetes 1 whose definitions have all that a kind can say: rules in CEL are stable there. */
export const oldestMinor = 29;

export interface ServerVersion {
  /** As the server writes it: `v1.36.4`. */
  readonly text: string;
  readonly isTooOld: boolean;
}

export async function versionOf(client: Client): Promise<ServerVersion> {
  return versionIn(await client.getRaw('/version'));
}

/** Of the answer to `/version`. What cannot be read is not called too old. */
export function versionIn(answer: unknown): ServerVersion {
  const { gitVersion, major, minor } = isObject(answer) ? answer : {};
  const number = (part: unknown) => Number.parseInt(String(part), 10); // some say "29+"
  return {
    text: typeof gitVersion === 'string' ? gitVersion : `${String(major)}.${String(minor)}`,
    isTooOld: number(major) < 1 || (number(major) === 1 && number(minor) < oldestMinor),
  };
}

/** Refuses a server that would take a definition and not enforce it. */
export async function requireNewEnough(client: Client, server: string): Promise<void> {
  const { text, isTooOld } = await versionOf(client);
  if (!isTooOld) return;
  throw new CommandError(
    `${server} runs Kubernetes ${text}, which is too old`,
    `take a cluster of Kubernetes 1.${oldestMinor} or newer`,
  );
}
