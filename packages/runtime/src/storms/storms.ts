/**
 * Storms: objects that are reconciled again and again and get nowhere. They are slowed, and named.
 *
 * A write gets nowhere when it says once more what one of the last two had said (another undoes it, or it goes back and
 * forth), when nothing but our own last write woke the pass that makes it, or when an owned object is described
 * differently though nothing was asked for.
 * Ten such writes within a minute are a storm; so are wake-ups without end that lead to no write. From then on the object
 * has one pass in five seconds, until a minute has passed in which its writes meant something.
 *
 * Does not: slow what fails, which has its own backoff, or what follows a change of the object itself.
 */
import { hash } from 'node:crypto';
import { type Clock, type KubernetesObject, keyOf, type NamespacedName, type Timer } from '@keelson/core';
import { type FieldPath, printPath } from '../field-diff.ts';

/** A storm, once, when it begins. */
export interface Storm {
  readonly controller: string;
  /** The reconciled object. */
  readonly key: NamespacedName;
  /** One sentence: what happens again and again, and who does it. */
  readonly message: string;
  /** What is written again and again, such as `Deployment default/cache` or `the status`; absent when nothing is. */
  readonly target?: string | undefined;
  /** The fields that differ each time. */
  readonly fields: readonly string[];
  /** The other managers of these fields. */
  readonly managers: readonly string[];
  /** What woke the passes, the most frequent first. */
  readonly causes: readonly string[];
}

export interface StormsOptions {
  readonly controller: string;
  readonly clock: Clock;
  readonly onStorm: (storm: Storm) => void;
  /** The object is calm again. */
  readonly onCalm: (key: NamespacedName) => void;
}

/** A write that is about to be sent. */
export interface PlannedWrite {
  readonly target: string;
  /** What is wanted, without what changes by itself. */
  readonly wanted: object;
  /** Whether the wish is our own business alone: the description of an owned object, not a report of what was seen. */
  readonly isDescription: boolean;
  /** Absent where there is nothing to write over. */
  readonly live: KubernetesObject | undefined;
  /** The fields that it changes; asked for when a storm is reported. */
  readonly fields: () => readonly FieldPath[];
  /** Asks the server who else manages these fields. */
  readonly askManagers: () => Promise<readonly string[]>;
}

const windowMs = 60_000;
const mostRestless = 10;
const spacingMs = 5000;
/** Passes without a write: as many at once, and then as many a second, before that is a storm. */
const idleBurst = 200;
const idlePerSecond = 2;
const keptCauses = 50;

interface LastWrite {
  readonly digest: string;
  /** Of the write before: what goes back and forth gets nowhere, too. */
  readonly before: string | undefined;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
}

interface ObjectRecord {
  readonly last: Map<string, LastWrite>;
  restless: number[];
  /** Idle passes beyond what is allowed, as a leaking bucket. */
  idle: number;
  idleAtMs: number;
  begunMs: number;
  generation: number | undefined;
  causes: string[];
  passCauses: readonly string[];
  hasWritten: boolean;
  isStorm: boolean;
  /** Looks whether the storm is over. */
  end: Timer | undefined;
}

export class Storms {
  readonly #options: StormsOptions;
  readonly #records = new Map<NamespacedName, ObjectRecord>();

  constructor(options: StormsOptions) {
    this.#options = options;
  }

  /** Objects that are slowed now. */
  get count(): number {
    return [...this.#records.values()].filter(({ isStorm }) => isStorm).length;
  }

  /** How long the object has to wait for its next pass. */
  waitMs(key: NamespacedName): number {
    const record = this.#records.get(key);
    if (record === undefined || !record.isStorm) return 0;
    return Math.max(record.begunMs + spacingMs - this.#options.clock.monotonic(), 0);
  }

  begin(key: NamespacedName, object: KubernetesObject, causes: readonly string[]): void {
    const nowMs = this.#options.clock.monotonic();
    const record = this.#recordOf(key);
    record.begunMs = nowMs;
    // Each is a text of its own, made with its event: of equal ones, which are the rule, one is kept.
    const kept = causes.map((cause) => record.causes.find((each) => each === cause) ?? cause);
    record.passCauses = kept;
    record.causes = [...record.causes, ...kept].slice(-keptCauses);
    record.hasWritten = false;
    const { generation } = object.metadata;
    if (generation !== record.generation) record.restless = [];
    record.generation = generation;
  }

  /** The pass is over. */
  ended(key: NamespacedName): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    const nowMs = this.#options.clock.monotonic();
    // A pass that asks to be called again has its reasons.
    const isAskedFor = record.passCauses.every((cause) => cause === 'requeue');
    record.idle = idleAt(record, nowMs) + (record.hasWritten || isAskedFor ? 0 : 1);
    record.idleAtMs = nowMs;
    if (!record.isStorm && record.idle > idleBurst) this.#begin(key, record, {});
  }

  /** Before a write. Counts it if it gets nowhere. */
  async beforeWrite(key: NamespacedName, write: PlannedWrite): Promise<void> {
    const record = this.#records.get(key);
    if (record === undefined) return;
    record.hasWritten = true;
    const last = record.last.get(write.target);
    if (last === undefined || !isRestless(record, last, write)) return;
    const nowMs = this.#options.clock.monotonic();
    record.restless = [...record.restless.filter((atMs) => nowMs - atMs < windowMs), nowMs];
    if (record.isStorm || record.restless.length < mostRestless) return;
    record.isStorm = true;
    const isFight = last.digest === digestOf(write.wanted);
    this.#begin(key, record, { write, managers: isFight ? await write.askManagers() : [] });
  }

  written(key: NamespacedName, target: string, wanted: object, result: KubernetesObject): void {
    const record = this.#records.get(key);
    record?.last.set(target, {
      digest: digestOf(wanted),
      before: record.last.get(target)?.digest,
      resourceVersion: result.metadata.resourceVersion,
      generation: record.generation,
    });
  }

  forget(key: NamespacedName): void {
    this.#records.get(key)?.end?.[Symbol.dispose]();
    this.#records.delete(key);
  }

  /** Nothing is slowed any more, and no timer is left. */
  close(): void {
    for (const key of [...this.#records.keys()]) this.forget(key);
  }

  #recordOf(key: NamespacedName): ObjectRecord {
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const nowMs = this.#options.clock.monotonic();
    const record: ObjectRecord = {
      last: new Map(),
      restless: [],
      idle: 0,
      idleAtMs: nowMs,
      begunMs: nowMs,
      generation: undefined,
      causes: [],
      passCauses: [],
      hasWritten: false,
      isStorm: false,
      end: undefined,
    };
    this.#records.set(key, record);
    return record;
  }

  #begin(
    key: NamespacedName,
    record: ObjectRecord,
    { write, managers = [] }: { readonly write?: PlannedWrite; readonly managers?: readonly string[] },
  ): void {
    record.isStorm = true;
    const fields = (write?.fields() ?? []).slice(0, 3).map(printPath);
    const causes = byFrequency(record.causes);
    const slowed = `it has one pass in ${spacingMs / 1000} s from now on`;
    const message = `${this.#what(write, managers, fields, causes)}; ${slowed}`;
    const { controller, onStorm } = this.#options;
    this.#awaitCalm(key, record);
    onStorm({ controller, key, message, target: write?.target, fields, managers, causes });
  }

  #awaitCalm(key: NamespacedName, record: ObjectRecord): void {
    const { clock, onCalm } = this.#options;
    record.end = clock.setTimer(windowMs, () => {
      const nowMs = clock.monotonic();
      const isCalm = idleAt(record, nowMs) === 0 && !record.restless.some((atMs) => nowMs - atMs < windowMs);
      if (!isCalm) return this.#awaitCalm(key, record);
      record.isStorm = false;
      onCalm(key);
    });
    record.end.unref();
  }

  #what(
    write: PlannedWrite | undefined,
    managers: readonly string[],
    fields: readonly string[],
    causes: readonly string[],
  ): string {
    const woken = `woken by: ${causes.slice(0, 3).join(', ')}`;
    if (write === undefined) return `Passes without end that write nothing; ${woken}`;
    const what = `${fields.length > 0 ? fields.join(', ') : 'something'} of ${write.target}`;
    if (managers.length > 0) return `${managers.join(', ')} changes ${what} again whenever this operator has set it`;
    return `This operator writes ${what} again and again and gets nowhere; ${woken}`;
  }
}

function isRestless(record: ObjectRecord, last: LastWrite, write: PlannedWrite): boolean {
  if (last.generation !== record.generation) return false;
  if ([last.digest, last.before].includes(digestOf(write.wanted))) return true;
  if (write.isDescription) return true;
  // A report that only its own last version woke: whatever it says now, nothing has happened since.
  const { live } = write;
  if (live === undefined || live.metadata.resourceVersion !== last.resourceVersion) return false;
  const own = `${live.kind} ${keyOf(live)} updated`;
  return record.passCauses.length > 0 && record.passCauses.every((cause) => cause === own);
}

const idleAt = ({ idle, idleAtMs }: ObjectRecord, nowMs: number): number =>
  Math.max(idle - ((nowMs - idleAtMs) / 1000) * idlePerSecond, 0);

function byFrequency(causes: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([cause]) => cause);
}

const digestOf = (value: object): string => hash('sha256', JSON.stringify(value), 'base64');
