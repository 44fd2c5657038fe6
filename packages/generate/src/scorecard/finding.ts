/** What the scorecard found out about a bundle, and how the parts of a bundle are looked into. */
import { isObject, type JsonObject } from '@keelson/core';

/** Something that is not as it should be, and what to do. */
export interface ScorecardFinding {
  /** What is not as it should be, as a word that never changes: `csv-name`. */
  readonly rule: string;
  /** OLM or OperatorHub refuse an error; a warning costs the users something. */
  readonly level: 'error' | 'warning';
  readonly text: string;
  /** What to do. */
  readonly next: string;
}

/** A bundle as it was found on the disk. */
export interface BundleContents {
  /** The files of `manifests`, parsed. */
  readonly manifests: readonly { readonly file: string; readonly object: unknown }[];
  /** `metadata/annotations.yaml`, parsed; absent if there is none. */
  readonly annotations?: unknown;
  /** How large all files are together, each packed by gzip and in Base64, as OLM carries them. */
  readonly packedBytes: number;
}

/** A definition in a bundle. */
interface BundledDefinition {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly JsonObject[];
}

/** A bundle with its parts told apart. What is not as it should be in there is for the checks to tell. */
export interface Contents extends BundleContents {
  /** The first ClusterServiceVersion, or nothing. */
  readonly csv: JsonObject;
  readonly csvs: number;
  readonly definitions: readonly BundledDefinition[];
  readonly keys: Readonly<Record<string, string>>;
  /** The examples in the ClusterServiceVersion; absent if they cannot be read. */
  readonly examples: readonly JsonObject[] | undefined;
}

export function contentsOf(bundle: BundleContents): Contents {
  const objects = bundle.manifests.map(({ object }) => object).filter(isObject);
  const csvs = objects.filter(({ kind }) => kind === 'ClusterServiceVersion');
  const [csv = {}] = csvs;
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(definitionOf);
  const keys = textsIn(isObject(bundle.annotations) ? bundle.annotations.annotations : undefined);
  return { ...bundle, csv, csvs: csvs.length, definitions, keys, examples: examplesOf(csv) };
}

function definitionOf(crd: JsonObject): BundledDefinition {
  return {
    name: textAt(crd, 'metadata', 'name'),
    group: textAt(crd, 'spec', 'group'),
    kind: textAt(crd, 'spec', 'names', 'kind'),
    versions: objectsAt(crd, 'spec', 'versions'),
  };
}

function examplesOf(csv: JsonObject): readonly JsonObject[] | undefined {
  const { 'olm.examples': other = '[]', 'alm-examples': text = other } = annotationsOf(csv);
  try {
    const value: unknown = JSON.parse(text === '' ? '[]' : text);
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The annotations of an object. */
export const annotationsOf = (object: JsonObject): Readonly<Record<string, string>> =>
  textsIn(at(object, 'metadata', 'annotations'));

const textsIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** What is at a path, or nothing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) here = isObject(here) ? here[name] : undefined;
  return here;
}

/** The text at a path, empty if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found.trim() : '';
}

/** The objects in the list at a path. */
export function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The names of the fields at a path. */
export function fieldsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = at(value, ...path);
  return isObject(found) ? Object.keys(found) : [];
}

/** `Memcached cache.example.com/v1` of an entry of `customresourcedefinitions` or of an object. */
export const gvk = (kind: string, group: string, version: string): string => `${kind} ${group}/${version}`;

/** The entries of `customresourcedefinitions.owned`, each with its group. */
export function ownedIn({ csv }: Pick<Contents, 'csv'>) {
  return objectsAt(csv, 'spec', 'customresourcedefinitions', 'owned').map((entry) => {
    const name = textAt(entry, 'name');
    const group = name.slice(name.indexOf('.') + 1);
    const [kind, version] = [textAt(entry, 'kind'), textAt(entry, 'version')];
    return { entry, name, group, kind, version, gvk: gvk(kind, group, version) };
  });
}

export const error = (rule: string, text: string, next: string): ScorecardFinding => ({
  rule,
  level: 'error',
  text,
  next,
});
export const warning = (rule: string, text: string, next: string): ScorecardFinding => ({
  rule,
  level: 'warning',
  text,
  next,
});
