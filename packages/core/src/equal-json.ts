/** Whether two JSON values are equal; a member that is `undefined` counts as absent, and members have no order. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a))
    return a.length === (b as unknown[]).length && a.every((item, i) => equalJson(item, (b as unknown[])[i]));
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = Object.entries(b).filter(([, value]) => value !== undefined);
  const other = b as Record<string, unknown>;
  return (
    left.length === right.length &&
    left.every(([name, value]) => Object.hasOwn(other, name) && equalJson(value, other[name]))
  );
}
