/**
 * Sets of fields (`fieldsV1`) that are held once: one manager applies few different sets to many objects.
 *
 * The set of an owned object names its owner by uid, so those of different owners are never equal as a whole. That name
 * stays its own, and each part beside it is held once; whoever remembers something of a part remembers it for all.
 */

/** Enough for the parts of every shape that a controller applies; more means that they hold names, and nothing is saved. */
const maxInterned = 1000;

/** Makes of a set, which is left as it is, an equal one of parts that are held once. Nobody may change what it gives. */
export function interningFieldSets(): (set: object) => object {
  const known = new Map<string, object>();
  const intern = (value: object): object => {
    const text = JSON.stringify(value);
    const same = known.get(text);
    if (same) return same;
    if (known.size >= maxInterned) known.clear();
    const kept = copyOf(text);
    known.set(text, kept);
    return kept;
  };
  const internMembers = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, below]) => [name, intern(below as object)]));
  return (set) => {
    const { 'f:metadata': metadata, ...rest } = set as Members;
    if (metadata?.['f:ownerReferences'] === undefined) return intern(set);
    const { 'f:ownerReferences': owners, ...others } = metadata;
    const named = { ...internMembers(others), 'f:ownerReferences': copyOf(JSON.stringify(owners)) };
    return { 'f:metadata': named, ...internMembers(rest) };
  };
}

type Members = Readonly<Record<string, Readonly<Record<string, object>> | undefined>>;

/** What came may be in other hands. */
const copyOf = (text: string): object => JSON.parse(text) as object;
