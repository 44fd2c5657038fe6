/**
 * Operators as plain data: what one process runs, whoever runs it.
 *
 * The engine of `@keelson/runtime` runs controllers that also say what to do; `generate` prints roles and charts of the
 * declarations alone; an operator that is written on the client by hand declares here what it needs, and no more.
 */
import type { AdmissionPolicyDeclaration } from './admission-policy.ts';
import type { Declaration, Need } from './declaration.ts';
import { resourceNameOf } from './kind.ts';
import type { OperatorProcess } from './operator-process.ts';
import { type SettingsInputOf, type SettingsSchema, settingsOf } from './settings.ts';
import { type WebhookDeclaration, webhookName, webhookProblem } from './webhook.ts';
import { servesWebhooks } from './webhook-configurations.ts';
import { webhookNames } from './webhook-names.ts';

/** What one process runs: its name and the declarations of its controllers and webhooks. */
export interface Operator<
  C extends Declaration = Declaration,
  T extends TaskDeclaration = TaskDeclaration,
  S extends SettingsSchema | undefined = SettingsSchema | undefined,
  W extends WebhookDeclaration = WebhookDeclaration,
> {
  /** Also the field manager of everything it writes and the source of its Events. A DNS label. */
  readonly name: string;
  /** Its own version, which it tells when it starts. @default none */
  readonly version?: string | undefined;
  /** Each reconciles a kind of its own. */
  readonly controllers: readonly C[];
  /** What it answers when the API server asks before it stores something. @default nothing */
  readonly webhooks?: readonly W[] | undefined;
  /** What the API server refuses on its behalf, with nobody to ask. @default nothing */
  readonly policies?: readonly AdmissionPolicyDeclaration[] | undefined;
  /** What it does beside them for as long as it runs. @default nothing */
  readonly tasks?: readonly T[] | undefined;
  /**
   * What those who run it can choose: flags, environment variables and help follow from this schema. Controllers and
   * tasks that name the same schema are given the values. @default nothing
   */
  readonly settings?: S;
  /** Values for the settings that count where neither a flag nor a variable gives one; see `withSettings`. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** What the process needs beside its controllers. */
  readonly needs?: readonly Need[] | undefined;
  /** Whether several replicas elect one that works, which takes rights on Leases. @default false */
  readonly leaderElection?: boolean | undefined;
  /** Whether its metrics are only for those whom the API server lets read them, which takes rights on reviews. @default false */
  readonly secureMetrics?: boolean | undefined;
  /** Whether it records Events, which takes rights on them. @default true */
  readonly events?: boolean | undefined;
  /** Where its process listens and what it is told, for its Deployment. @default as `run` of the engine has it */
  readonly process?: OperatorProcess | undefined;
}

/** An operator as it is declared: one that only answers webhooks has no controllers. */
export type OperatorDefinition<
  C extends Declaration,
  T extends TaskDeclaration,
  S extends SettingsSchema | undefined,
  W extends WebhookDeclaration,
> = Omit<Operator<C, T, S, W>, 'controllers'> & { readonly controllers?: readonly C[] | undefined };

/** What a task declares before it says what to do. */
export interface TaskDeclaration {
  /** In logs. */
  readonly name: string;
  /** The operator's settings, if the task wants them. */
  readonly settings?: SettingsSchema | undefined;
  /** What it does with `client`. */
  readonly needs?: readonly Need[] | undefined;
  /** Whether only the replica that leads runs it. @default true */
  readonly leadership?: boolean | undefined;
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
export function operator<
  C extends Declaration = never,
  T extends TaskDeclaration = never,
  S extends SettingsSchema | undefined = undefined,
  W extends WebhookDeclaration = never,
>(definition: OperatorDefinition<C, T, S, W>): Operator<C, T, S, W> {
  const { name, controllers = [], webhooks = [], policies = [], tasks = [], settings } = definition;
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63) {
    throw new RangeError(`operator: name must be a DNS label of at most 63 characters, received "${name}"`);
  }
  if (controllers.length === 0 && webhooks.length === 0) {
    throw new RangeError(`operator ${name}: controllers must not be empty, unless there are webhooks`);
  }
  const sameName = firstTwice(controllers.map(controllerName));
  if (sameName !== undefined) {
    throw new RangeError(`operator ${name}: two controllers are called "${sameName}"; give one a name`);
  }
  const sameKind = firstTwice(controllers.map((each) => resourceNameOf(each.for)));
  if (sameKind !== undefined) {
    // Both would apply the status under the operator's name, and each would remove what the other said.
    throw new RangeError(`operator ${name}: two controllers reconcile ${sameKind}; let one of them do both`);
  }
  const sameWebhook = firstTwice(webhooks.map(webhookName));
  if (sameWebhook !== undefined) {
    throw new RangeError(`operator ${name}: two webhooks are called "${sameWebhook}"; give one a name`);
  }
  for (const webhook of webhooks) {
    const problem = webhookProblem(webhook);
    if (problem !== undefined) throw new RangeError(`operator ${name}: webhook ${webhookName(webhook)}: ${problem}`);
  }
  const { service } = webhookNames({ name });
  if (service.length > 63 && servesWebhooks({ controllers, webhooks })) {
    throw new RangeError(
      `operator ${name}: "${service}" is too long for the name of its Service: with webhooks or conversions, an operator's name has at most ${63 - (service.length - name.length)} characters`,
    );
  }
  const samePolicy = firstTwice(policies.map((policy) => policy.name));
  if (samePolicy !== undefined) throw new RangeError(`operator ${name}: two policies are called "${samePolicy}"`);
  const misnamed = policies.find((policy) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(policy.name));
  if (misnamed !== undefined) {
    throw new RangeError(
      `operator ${name}: policy "${misnamed.name}": its name must be a DNS label of at most 63 characters`,
    );
  }
  const sameTask = firstTwice(tasks.map((task) => task.name));
  if (sameTask !== undefined) throw new RangeError(`operator ${name}: two tasks are called "${sameTask}"`);
  if (settings !== undefined) settingsOf(settings, name);
  const users = [
    ...controllers.map((each) => ({ who: `controller ${controllerName(each)}`, uses: each.settings })),
    ...webhooks.map((each) => ({ who: `webhook ${webhookName(each)}`, uses: each.settings })),
    ...tasks.map((each) => ({ who: `task ${each.name}`, uses: each.settings })),
  ];
  for (const { who, uses } of users) {
    if (uses === undefined || uses === settings) continue;
    throw new RangeError(`operator ${name}: ${who} uses settings that are not those of the operator`);
  }
  return { ...definition, controllers };
}

/**
 * The operator with other values for its settings: in a test, or in a program that runs it. Flags and variables of a
 * process still win.
 *
 * @example
 * await using cluster = await startCluster({ operators: [withSettings(websiteOperator, { dnsServer: 'dns.test' })] });
 */
export function withSettings<O extends Operator>(operator: O, given: SettingsInputOf<O['settings']>): O {
  return { ...operator, given: { ...operator.given, ...(given as Readonly<Record<string, unknown>>) } };
}

const firstTwice = (values: readonly string[]): string | undefined =>
  values.find((value, i) => values.indexOf(value) !== i);
