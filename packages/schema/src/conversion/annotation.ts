/**
 * The annotation in which an object carries what its version cannot say, by the name of the version that can.
 *
 * A user can write anything into it: what has not the form that is written here counts as nothing.
 */
import { isObject } from '@keelson/core';
import type { KeptFields } from './kept-fields.ts';

/** What is kept for one version, or that it was more than an annotation takes. */
type Kept = KeptFields | 'too large';

/** What is kept, by version. */
export type KeptByVersion = ReadonlyMap<string, Kept>;

export type Annotations = Readonly<Record<string, string>>;

/** Its name on the objects of a group. */
export const annotationName = (group: string) => `${group}/not-in-this-version`;

/** What it keeps for versions that there are; undefined for a text that is not in the form. */
export function readAnnotation(text: string, versions: readonly string[]): KeptByVersion | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (!isObject(content)) return undefined;
    tryToWrite(content);
    const entries = Object.entries(content).filter(([version]) => versions.includes(version));
    return entries.every(([, value]) => isKept(value)) ? new Map(entries as [string, Kept][]) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws for what is nested too deeply to be written again, from a stack that may be a little fuller than this one. */
const tryToWrite = (content: unknown) => JSON.stringify([[[[[[[[content]]]]]]]]);

const isKept = (value: unknown) => value === 'too large' || isObject(value);

/** Annotations with this one, which is left out where nothing is kept; undefined where there are none at all. */
export function withAnnotation(
  annotations: Annotations | undefined,
  name: string,
  kept: KeptByVersion,
): Annotations | undefined {
  const { [name]: _, ...others } = annotations ?? {};
  const all = kept.size === 0 ? others : { ...others, [name]: JSON.stringify(Object.fromEntries(kept)) };
  return Object.keys(all).length === 0 ? undefined : all;
}
