/** Lists taken as sets. */
import { one, plus, type Sized, times } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { contains } from '../language/equality.ts';
import { CelError, type ListValue, sizeOf, type Value } from '../language/values.ts';

function containsAll(list: Value, part: Value): Value {
  for (const item of part as ListValue) {
    const found = contains(list as ListValue, item);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: Value, b: Value): Value {
  for (const item of a as ListValue) {
    const found = contains(b as ListValue, item);
    if (found instanceof CelError || found) return found;
  }
  return false;
}

function equivalent(a: Value, b: Value): Value {
  const one = containsAll(a, b);
  return one === true ? containsAll(b, a) : one;
}

/** Each item of the one is looked for in the other. */
const product = (factor: number) => ({
  cost: (args: readonly Value[]) => 1 + sizeOf(args[0] ?? null) * sizeOf(args[1] ?? null) * factor,
  estimate: (a: Sized, b: Sized) => ({ cost: plus(one, times(times(a.size, b.size), { min: factor, max: factor })) }),
});

/** Lists as sets. */
export const sets: Library = [
  overload("'sets.contains'(list<T>, list<T>): bool", containsAll, product(1)),
  overload("'sets.equivalent'(list<T>, list<T>): bool", equivalent, product(2)),
  overload("'sets.intersects'(list<T>, list<T>): bool", intersects, product(1)),
];
