/**
 * What simulated pods are told to do, as plain values: the same words in code, in a file and in annotations.
 *
 * Promises: what is not said goes well; a word that there is not is refused, with the words that there are.
 */

/** What goes wrong, by the word that Kubernetes has for it. */
export type PodFailure = (typeof podFailures)[number];

const podFailures = [
  'ImagePullBackOff',
  'CrashLoopBackOff',
  'OOMKilled',
  'Unschedulable',
  'ReadinessProbe',
  'LivenessProbe',
  'StartupProbe',
] as const;

/** What the containers of a simulated pod do. Whatever is left out goes well, in the usual time. */
export interface PodBehaviour {
  /**
   * What goes wrong. `ImagePullBackOff`: the image cannot be pulled. `CrashLoopBackOff`: the container exits, with the code
   * 1 unless `exitCode` says otherwise. `OOMKilled`: it is killed because memory ran out. `Unschedulable`: there is no node
   * for the pod. `ReadinessProbe`, `LivenessProbe`, `StartupProbe`: that probe fails, at the pace that the container gives
   * it, or at Kubernetes' usual one when it has none.
   */
  readonly fails?: PodFailure | undefined;
  /**
   * In what words: why the image cannot be pulled, what a node lacks, what the probe says, or the termination message of a
   * container that exits. @default what is usual
   */
  readonly message?: string | undefined;
  /** The container exits, with this code. @default it runs until it is stopped */
  readonly exitCode?: number | undefined;
  /** How long it runs before it exits or is killed. @default 1000 for a failure, 0 otherwise */
  readonly exitAfterMs?: number | undefined;
  /** How long it is being created. @default 0 */
  readonly startAfterMs?: number | undefined;
  /** How long it runs before it is ready. @default the node's `readyAfterMs`, or a readiness probe's initial delay */
  readonly readyAfterMs?: number | undefined;
  /** How long it takes to stop when it is asked to. @default the node's `stopAfterMs` */
  readonly stopAfterMs?: number | undefined;
  /** What each run writes to its log, at its start. @default what its command says */
  readonly log?: string | undefined;
}

/** Which pods and containers are meant: all that fit everything that is said. */
export interface PodSelector {
  readonly namespace?: string | undefined;
  /** The pod's name; in a text, `*` stands for any characters. */
  readonly name?: string | RegExp | undefined;
  /** Labels that the pod has. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The container's image; in a text, `*` stands for any characters. */
  readonly image?: string | RegExp | undefined;
  /** The container's name. @default all but init containers and sidecars, unless `image` is given */
  readonly container?: string | undefined;
}

/** A behaviour, and whose it is. */
export interface PodRule extends PodBehaviour {
  readonly match: PodSelector;
}

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const duration: Check = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds';
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`;

const behaviourFields: Readonly<Record<keyof PodBehaviour, Check>> = {
  fails: oneOf(podFailures),
  message: text,
  exitCode: (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255
      ? undefined
      : 'must be an integer from 0 to 255',
  exitAfterMs: duration,
  startAfterMs: duration,
  readyAfterMs: duration,
  stopAfterMs: duration,
  log: text,
};

const pattern: Check = (value) => (value instanceof RegExp ? undefined : text(value));

const selectorFields: Readonly<Record<keyof PodSelector, Check>> = {
  namespace: text,
  name: pattern,
  labels: (value) =>
    isRecord(value) && Object.values(value).every((each) => typeof each === 'string')
      ? undefined
      : 'must map texts to texts',
  image: pattern,
  container: text,
};

/** Throws a TypeError that names the field. `where` says whose. */
export function assertBehaviour(value: unknown, where: string): asserts value is PodBehaviour {
  assertFields(value, behaviourFields, where);
}

/** Throws a TypeError that names the field. */
export function assertSelector(value: unknown, where: string): asserts value is PodSelector {
  assertFields(value, selectorFields, where);
}

/**
 * Rules as a file holds them: a list of behaviours, each with the pods that it is for below `match`. Throws a TypeError
 * that says what is wrong where.
 *
 * @example
 * podRules([{ match: { image: 'memcached:*' }, fails: 'ImagePullBackOff' }]);
 */
export function podRules(value: unknown): readonly PodRule[] {
  if (!Array.isArray(value))
    throw new TypeError('pods: must be a list of rules, such as {match: {image: "web:*"}, fails: OOMKilled}');
  return value.map((rule: unknown, index) => {
    const where = `pods[${index}]`;
    if (!isRecord(rule)) throw new TypeError(`${where}: must be a rule, not ${JSON.stringify(rule)}`);
    const { match, ...behaviour } = rule;
    assertSelector(match, `${where}.match`);
    assertBehaviour(behaviour, where);
    return { match, ...behaviour };
  });
}

const prefix = 'pods.keelson/';

/** What a pod's annotations say of it: `pods.keelson/fails: OOMKilled`, and so on for every field. */
export function annotated(annotations: Readonly<Record<string, string>> = {}): PodRule | undefined {
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(prefix));
  if (own.length === 0) return undefined;
  const { container, ...said } = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
  const numbers = new Set(['exitCode', 'exitAfterMs', 'startAfterMs', 'readyAfterMs', 'stopAfterMs']);
  const behaviour = Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      name,
      numbers.has(name) && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  );
  assertBehaviour(behaviour, `annotation ${prefix}`);
  return { match: { container }, ...behaviour };
}

function assertFields(value: unknown, fields: Readonly<Record<string, Check>>, where: string): void {
  if (!isRecord(value)) throw new TypeError(`${where}: must be an object, not ${JSON.stringify(value)}`);
  for (const [name, member] of Object.entries(value)) {
    const check = fields[name];
    const path = where.endsWith('/') ? `${where}${name}` : `${where}.${name}`;
    if (!check) throw new TypeError(`${path}: there is no such field; there are ${Object.keys(fields).join(', ')}`);
    const problem = member === undefined ? undefined : check(member);
    if (problem) throw new TypeError(`${path} ${problem}, not ${JSON.stringify(member)}`);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
