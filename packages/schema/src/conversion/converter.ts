/**
 * Conversion between the versions of a kind: by way of the hub, and without loss.
 *
 * Promises: fields of the same path and type are copied as they are, the author's functions say the others, defaults are
 * filled in; what a version cannot say goes along in one annotation, and comes back where what it stood behind is
 * unchanged; what comes back adds nothing that the version's schema refuses. Inputs are never changed.
 */
import { apiVersionOf, type Conversion, isObject, type JsonObject } from '@keelson/core';
import { areTooLarge } from '../metadata/object-meta-problems.ts';
import { type Annotations, annotationName, type KeptByVersion, readAnnotation, withAnnotation } from './annotation.ts';
import { keptFields } from './kept-fields.ts';
import { restoredIn } from './restore.ts';
import { type Fields, inferred, type Version } from './version.ts';

export interface ConverterOptions {
  readonly group: string;
  readonly kind: string;
  readonly hub: string;
  readonly names: readonly string[];
  /** Those of them that are served. */
  readonly served: readonly string[];
  /** Called once, by the first conversion. */
  readonly versions: () => readonly Version[];
}

/** An object on its way: its fields in a version, and what it carries for others. */
interface Traveller {
  readonly version: Version;
  readonly fields: Fields;
  readonly kept: KeptByVersion;
}

type Warn = (text: string) => void;

/** What converts the objects of a kind. */
export function converterOf({ group, kind, hub, names, served, versions }: ConverterOptions): Conversion {
  const annotation = annotationName(group);
  let compiled: ReadonlyMap<string, Version> | undefined;
  const versionOf = (apiVersion: unknown): Version => {
    compiled ??= new Map(versions().map((each) => [apiVersionOf({ group, version: each.name }), each]));
    const found = compiled.get(String(apiVersion));
    if (found !== undefined) return found;
    throw new RangeError(`${kind} has the versions ${[...compiled.keys()].join(', ')}, not ${apiVersion}`);
  };

  const step = (from: Traveller, to: Version, envelope: JsonObject, warn: Warn): Traveller => {
    const plain = inferred(from.version, to, from.fields);
    const carried = from.kept.get(to.name);
    if (carried === 'too large') {
      const problem = `it has more in ${to.name} than an annotation could keep in ${from.version.name}`;
      throw new Error(`${problem}: read and write it in ${to.name}`);
    }
    const fields = carried === undefined ? plain : restoredIn(to, from.version, plain, carried, envelope, warn);
    const lost = keptFields(from.fields, inferred(to, from.version, fields));
    const kept = new Map(from.kept);
    kept.delete(to.name);
    if (lost !== undefined) kept.set(from.version.name, lost);
    return { version: to, fields, kept };
  };

  const keptIn = ({ name, isStored }: Version, text: string | undefined, warn: Warn): KeptByVersion => {
    if (text === undefined) return new Map();
    // What it says for the object's own version is older than the object: it came with metadata that was copied.
    const others = names.filter((each) => each !== name);
    const kept = readAnnotation(text, others);
    if (kept === undefined) {
      warn(`the annotation ${annotation} is not in its form, and is left out`);
      return new Map();
    }
    if (!isStored) return kept;
    // Such marks are never stored by a conversion, but by a user; to throw would fail every list in the other version.
    const unmarked = [...kept].filter(([, each]) => each !== 'too large');
    if (unmarked.length < kept.size) warn(`the annotation ${annotation} has a mark that is never stored, and ignored`);
    return new Map(unmarked);
  };

  const convert = (object: JsonObject, apiVersion: string, warn: Warn = () => {}): JsonObject => {
    const [from, to] = [versionOf(object.apiVersion), versionOf(apiVersion)];
    if (from === to) return object;
    const { apiVersion: _, kind: __, metadata, ...fields } = object;
    const { annotations, ...otherMetadata } = (isObject(metadata) ? metadata : {}) as { annotations?: Annotations };
    const envelope = { apiVersion, kind, metadata };
    const text = annotations?.[annotation];
    const start = { version: from, fields: from.withDefaults(fields), kept: keptIn(from, text, warn) };
    const middle = versionOf(apiVersionOf({ group, version: hub }));
    const way = from === middle || to === middle ? [to] : [middle, to];
    const end = way.reduce<Traveller>((traveller, next) => step(traveller, next, envelope, warn), start);
    const carried = carriedBy(end, annotations, annotation);
    return {
      apiVersion,
      kind,
      metadata: { ...otherMetadata, ...(carried !== undefined && { annotations: carried }) },
      ...end.fields,
    };
  };

  return { versions: names, served, convert };
}

/** The annotations of an object at its end; too much for them is told there, unless nobody could ever read it again. */
function carriedBy(
  { version, kept }: Traveller,
  annotations: Annotations | undefined,
  annotation: string,
): Annotations | undefined {
  const all = withAnnotation(annotations, annotation, kept);
  if (kept.size === 0 || !areTooLarge(all ?? {})) return all;
  const others = [...kept.keys()].join(' and ');
  if (version.isStored) {
    const problem = `it is stored in ${version.name}, and has more in ${others} than an annotation can keep there`;
    throw new Error(`${problem} (256 KiB in all)`);
  }
  return withAnnotation(annotations, annotation, new Map([...kept.keys()].map((each) => [each, 'too large'])));
}
