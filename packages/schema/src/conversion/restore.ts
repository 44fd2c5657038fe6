/**
 * What an annotation kept, put back into the fields of an object, as far as the version's schema allows it.
 *
 * A user can edit an annotation, and the API server does not look at what a conversion gives: so it is judged here.
 */
import { isObject, type JsonObject } from '@keelson/core';
import { type KeptFields, restoredFields } from './kept-fields.ts';
import type { Fields, Version } from './version.ts';

/** `plain`, which was inferred from another version, with what was kept; what the schema would refuse is left out, and told. */
export function restoredIn(
  version: Version,
  from: Version,
  plain: Fields,
  kept: KeptFields,
  envelope: JsonObject,
  warn: (text: string) => void,
): Fields {
  const restored = (fields: Fields, each: KeptFields): Fields => {
    const all = restoredFields({ to: version.node, from: from.node }, each, fields);
    return isObject(all) ? version.withDefaults(version.pruned(all)) : fields;
  };
  const leftOut = (reason: string) => warn(`what was kept for ${version.name} is left out: ${reason}`);
  try {
    const all = restored(plain, kept);
    if (version.problems(envelope, all).length === 0) return all;
    // The object may have been refused before: only what is new counts.
    let fields = plain;
    for (const piece of piecesOf(kept)) {
      const known = new Set(version.problems(envelope, fields));
      const next = restored(fields, piece);
      const [problem] = version.problems(envelope, next).filter((each) => !known.has(each));
      if (problem === undefined) fields = next;
      else leftOut(problem);
    }
    return fields;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    leftOut('it is nested too deeply');
    return plain;
  }
}

/** Each field of spec and status by itself. */
function* piecesOf({ kept, inferred }: KeptFields): Generator<KeptFields> {
  const [of, instead] = [objectOf(kept), objectOf(inferred)];
  for (const root of new Set([...Object.keys(of), ...Object.keys(instead)])) {
    const [ofRoot, insteadOfRoot] = [of[root], instead[root]];
    if (!isObject(ofRoot) || !isObject(insteadOfRoot)) {
      yield { kept: { [root]: ofRoot }, inferred: { [root]: insteadOfRoot } };
      continue;
    }
    for (const name of new Set([...Object.keys(ofRoot), ...Object.keys(insteadOfRoot)])) {
      yield { kept: { [root]: { [name]: ofRoot[name] } }, inferred: { [root]: { [name]: insteadOfRoot[name] } } };
    }
  }
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
