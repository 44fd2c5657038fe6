/**
 * Whether two JSON values are equal; a member that is `undefined` counts as absent, and members have no order. A list of
 * pairs takes the place of recursion, so that no depth of nesting is too much.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const pairs: unknown[] = [a, b];
  while (pairs.length > 0) {
    const right = pairs.pop();
    const left = pairs.pop();
    if (left === right) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    if (!(Array.isArray(left) ? addItems(pairs, left, right as unknown[]) : addMembers(pairs, left, right)))
      return false;
  }
  return true;
}

/** What has to be equal for two lists to be; `false` if they differ already. */
function addItems(pairs: unknown[], left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) pairs.push(left[i], right[i]);
  return true;
}

function addMembers(pairs: unknown[], left: object, right: object): boolean {
  const ours = left as Record<string, unknown>;
  const theirs = right as Record<string, unknown>;
  let members = 0;
  for (const name of Object.keys(ours)) {
    const value = ours[name];
    if (value === undefined) continue;
    members += 1;
    const other = theirs[name];
    if (other === value) continue;
    // What is inherited is no member, whatever it looks like.
    if (typeof value !== 'object' || typeof other !== 'object' || !Object.hasOwn(theirs, name)) return false;
    pairs.push(value, other);
  }
  for (const name of Object.keys(theirs)) if (theirs[name] !== undefined) members -= 1;
  return members === 0;
}
