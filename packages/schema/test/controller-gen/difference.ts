/** Where two JSON values differ, leaf by leaf: what one alone has is one difference, however large. */

export interface Difference {
  /** `CRD.spec.versions.v1.schema`. */
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** The differences; of lists, entries with a name are compared by it, and texts in any order. */
export function* differences(theirs: unknown, ours: unknown, path: string): Generator<Difference> {
  const [left, right] = [byName(theirs), byName(ours)];
  if (left === undefined || right === undefined) {
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) yield { path, theirs, ours };
    return;
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    yield* differences(left[name], right[name], `${path}.${name}`);
  }
}

function byName(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    value.map((item: unknown, index) => {
      if (typeof item === 'string') return [item, true];
      const { name = index } = (item ?? {}) as { readonly name?: unknown };
      return [String(name), item];
    }),
  );
}
