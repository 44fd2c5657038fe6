/**
 * Compares an answer with what a case expects of it, and says every place where the two differ.
 *
 * An expected object names the fields that matter; others may be there too, unless it is wrapped in `exactly`.
 * `undefined` means that the field must be absent. A regular expression or a predicate stands for a value that cannot
 * be known beforehand, such as a uid or a timestamp. Lists are compared whole, unless wrapped in `including`.
 */
type Predicate = (value: unknown) => boolean;

class Exactly {
  readonly expected: unknown;
  constructor(expected: unknown) {
    this.expected = expected;
  }
}

class Including {
  readonly elements: readonly unknown[];
  constructor(elements: readonly unknown[]) {
    this.elements = elements;
  }
}

/** From here on down, fields that are not named must not be there. */
export function exactly(expected: unknown): unknown {
  return new Exactly(expected);
}

/** A list in which, in any order and among others, an element like each of these can be found. */
export function including(...elements: readonly unknown[]): unknown {
  return new Including(elements);
}

/** How the server writes the times that it stamps. */
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
export const uid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const resourceVersion = /^[1-9]\d*$/;
/** An age as tables show it. */
export const age = /^\d+(ms|s|m|h|d|m\d+s)$/;

/** One line for each place that differs; none if all is as expected. */
export function differences(actual: unknown, expected: unknown, at = '', whole = false): string[] {
  if (expected instanceof Exactly) return differences(actual, expected.expected, at, true);
  if (expected instanceof Including) return missing(actual, expected.elements, at, whole);
  if (expected instanceof RegExp) {
    return typeof actual === 'string' && expected.test(actual) ? [] : [differs(at, actual, String(expected))];
  }
  if (typeof expected === 'function') {
    const { name } = expected;
    return (expected as Predicate)(actual) ? [] : [differs(at, actual, name || String(expected))];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [differs(at, actual, 'a list')];
    const lines = expected.flatMap((element, i) => differences(actual[i], element, `${at}[${i}]`, whole));
    if (actual.length === expected.length) return lines;
    return [`${at || 'the answer'}: expected ${expected.length} elements, got ${actual.length}`, ...lines];
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [differs(at, actual, 'an object')];
    const fields = expected as Readonly<Record<string, unknown>>;
    const present = actual as Readonly<Record<string, unknown>>;
    const lines = Object.entries(fields).flatMap(([key, value]) =>
      differences(Object.hasOwn(present, key) ? present[key] : undefined, value, step(at, key), whole),
    );
    if (!whole) return lines;
    const more = Object.keys(present).filter((key) => !Object.hasOwn(fields, key));
    return [...lines, ...more.map((key) => differs(step(at, key), present[key], 'nothing'))];
  }
  return Object.is(actual, expected) ? [] : [differs(at, actual, show(expected))];
}

function missing(actual: unknown, elements: readonly unknown[], at: string, whole: boolean): string[] {
  if (!Array.isArray(actual)) return [differs(at, actual, 'a list')];
  return elements
    .filter((element) => !actual.some((candidate) => differences(candidate, element, at, whole).length === 0))
    .map((element) => `${at || 'the answer'}: no element like ${show(element)}`);
}

function step(at: string, key: string): string {
  const segment = /^[\w$]+$/.test(key) ? key : `[${JSON.stringify(key)}]`;
  return at && !segment.startsWith('[') ? `${at}.${segment}` : `${at}${segment}`;
}

function differs(at: string, actual: unknown, expected: string): string {
  return `${at || 'the answer'}: expected ${expected}, got ${show(actual)}`;
}

function show(value: unknown): string {
  if (value instanceof Exactly) return show(value.expected);
  if (value === undefined) return 'nothing';
  return JSON.stringify(value, (_, inner: unknown) => (inner instanceof RegExp ? String(inner) : inner)) ?? 'nothing';
}
