/**
 * Operators as plain data: what one process runs, whoever runs it.
 *
 * The engine of `@keelson/runtime` runs controllers that also say what to do; `generate` prints roles and charts of the
 * declarations alone; an operator that is written on the client by hand declares here what it needs, and no more.
 */
import type { Declaration, Need } from './declaration.ts';
import { resourceNameOf } from './kind.ts';

/** What one process runs: its name and the declarations of its controllers. */
export interface Operator<C extends Declaration = Declaration> {
  /** Also the field manager of everything it writes and the source of its Events. A DNS label. */
  readonly name: string;
  /** Each reconciles a kind of its own. */
  readonly controllers: readonly C[];
  /** What the process needs beside its controllers. */
  readonly needs?: readonly Need[] | undefined;
  /** Whether several replicas elect one that works, which takes rights on Leases. @default false */
  readonly leaderElection?: boolean | undefined;
  /** Whether it records Events, which takes rights on them. @default true */
  readonly events?: boolean | undefined;
}

/** What a controller is called in logs and metrics: its own name, or the reconciled kind in lower case. */
export function controllerName({ name, for: kind }: Declaration): string {
  return name ?? kind.kind.toLowerCase();
}

/**
 * Declares an operator. Nothing is started; a definition that cannot work throws a RangeError.
 *
 * @example
 * export const echoOperator = operator({
 *   name: 'echo-operator',
 *   controllers: [{ for: Echo, owns: [Job] }],
 *   leaderElection: true,
 * });
 */
export function operator<C extends Declaration>(definition: Operator<C>): Operator<C> {
  const { name, controllers } = definition;
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63) {
    throw new RangeError(`operator: name must be a DNS label of at most 63 characters, received "${name}"`);
  }
  if (controllers.length === 0) throw new RangeError(`operator ${name}: controllers must not be empty`);
  const sameName = firstTwice(controllers.map(controllerName));
  if (sameName !== undefined) {
    throw new RangeError(`operator ${name}: two controllers are called "${sameName}"; give one a name`);
  }
  const sameKind = firstTwice(controllers.map((each) => resourceNameOf(each.for)));
  if (sameKind !== undefined) {
    // Both would apply the status under the operator's name, and each would remove what the other said.
    throw new RangeError(`operator ${name}: two controllers reconcile ${sameKind}; let one of them do both`);
  }
  return definition;
}

const firstTwice = (values: readonly string[]): string | undefined =>
  values.find((value, i) => values.indexOf(value) !== i);
