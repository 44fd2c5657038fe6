/**
 * The command line of an operator: its own options and those that follow from its settings. Pure: arguments and
 * environment in, values out.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  type NamespacedName,
  type Operator,
  type Setting,
  settingFrom,
  settingsOf,
  validSettings,
} from '@keelson/core';
import { type Level, levels } from '../log/log.ts';
import type { LeadershipOptions } from '../manager/leadership.ts';
import { nearest } from './nearest.ts';

/** What a process was told. */
export interface Arguments {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Where namespaced kinds are watched; absent: everywhere. */
  readonly namespaces: readonly string[] | undefined;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly metricsTls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Absent: where webhooks usually are, if the process runs in the cluster. */
  readonly webhookPort: number | undefined;
  /** Absent: those that the operator keeps itself. */
  readonly webhookTls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly gracePeriodMs: number;
  /** Absent: what the controllers declare. */
  readonly resyncMs: number | undefined;
  /** Whether nothing is written. */
  readonly plan: boolean;
  readonly leaderElection: LeadershipOptions | false;
  /** Absent: text on a terminal, JSON elsewhere. */
  readonly logFormat: 'json' | 'text' | undefined;
  readonly logLevel: Level;
  readonly logCauses: boolean;
  /** What was given for the operator's settings; nothing is checked or defaulted yet. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly help: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads arguments and environment. What cannot be used is a RangeError or a TypeError that names it. */
export function readArguments(argv: readonly string[], env: Environment, operator: Operator): Arguments {
  const { leaderElection = false } = operator;
  const own = {
    kubeconfig: { type: 'string' },
    context: { type: 'string' },
    namespace: { type: 'string' },
    'health-port': { type: 'string', default: '8081' },
    'metrics-cert': { type: 'string' },
    'metrics-key': { type: 'string' },
    'metrics-port': { type: 'string', default: '8080' },
    'webhook-cert': { type: 'string' },
    'webhook-key': { type: 'string' },
    'webhook-port': { type: 'string' },
    'leader-elect': { type: 'boolean', default: leaderElection },
    'leader-elect-lease': { type: 'string' },
    'leader-elect-lease-duration': { type: 'string', default: '15' },
    'leader-elect-renew-deadline': { type: 'string', default: '10' },
    'leader-elect-retry-period': { type: 'string', default: '2' },
    'leader-elect-exit': { type: 'boolean', default: false },
    'grace-period': { type: 'string', default: '25' },
    resync: { type: 'string' },
    'log-format': { type: 'string' },
    'log-level': { type: 'string' },
    'log-causes': { type: 'boolean', default: false },
    plan: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const satisfies ParseArgsConfig['options'];
  const settings = operator.settings ? settingsOf(operator.settings, operator.name) : [];
  const taken = settings.find(({ flag }) => flag in own);
  if (taken !== undefined) {
    throw new RangeError(`setting ${taken.name}: --${taken.flag} is an option of every operator; give it another name`);
  }
  const flags = Object.fromEntries(settings.map((setting) => [setting.flag, flagOf(setting)]));
  const given = givenByVariables(env, own);
  const parsed = parse([...given.argv, ...argv], { ...flags, ...own });
  const { nameOf } = given;
  const values = parsed.values as ReturnType<typeof parseArgs<{ options: typeof own }>>['values'];
  const metricsPort = port(nameOf('metrics-port'), values['metrics-port']);
  const metricsTls = pairOf('metrics', values['metrics-cert'], values['metrics-key']);
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespaces: namespacesIn(values.namespace ?? env.WATCH_NAMESPACE ?? ''),
    healthPort: port(nameOf('health-port'), values['health-port']),
    metricsPort,
    metricsTls,
    webhookPort:
      values['webhook-port'] === undefined ? undefined : port(nameOf('webhook-port'), values['webhook-port']),
    webhookTls: pairOf('webhook', values['webhook-cert'], values['webhook-key']),
    gracePeriodMs: seconds(nameOf('grace-period'), values['grace-period']) * 1000,
    resyncMs: values.resync === undefined ? undefined : resyncIn(nameOf('resync'), values.resync),
    plan: values.plan,
    leaderElection: values['leader-elect'] && {
      lease: leaseIn(nameOf('leader-elect-lease'), values['leader-elect-lease']),
      ...leaseTimes(nameOf, values),
      onLost: values['leader-elect-exit'] ? 'exit' : 'rejoin',
    },
    logFormat:
      values['log-format'] === undefined
        ? undefined
        : oneOf(nameOf('log-format'), values['log-format'], ['json', 'text']),
    logLevel: oneOf(nameOf('log-level'), values['log-level'] ?? (values.plan ? 'warn' : 'info'), levels),
    logCauses: values['log-causes'],
    settings: givenSettings(settings, parsed.values, env),
    help: values.help,
  };
}

/** What an option is called by whoever has given it. */
type NameOf = (flag: string) => string;

/**
 * These have variables with names that others know, or are for one run. A context has none, as with kubectl: what is left in
 * a shell would take `keelson dev` to another cluster than the one that it has looked at.
 */
const withoutVariable = new Set(['kubeconfig', 'context', 'namespace', 'plan', 'help']);

/** Options that are given by variables, such as KEELSON_LOG_LEVEL, as if they came first on the command line. */
function givenByVariables(
  env: Environment,
  options: NonNullable<ParseArgsConfig['options']>,
): { readonly argv: readonly string[]; readonly nameOf: NameOf } {
  const given = Object.entries(options).flatMap(([flag, { type }]) => {
    const variable = `KEELSON_${flag.replaceAll('-', '_').toUpperCase()}`;
    const text = withoutVariable.has(flag) ? '' : (env[variable] ?? '');
    if (text === '') return [];
    if (type === 'string') return [{ flag, variable, argument: `--${flag}=${text}` }];
    oneOf(variable, text, ['true', 'false']);
    return [{ flag, variable, argument: text === 'true' ? `--${flag}` : `--no-${flag}` }];
  });
  return {
    argv: given.map(({ argument }) => argument),
    nameOf(flag) {
      const found = given.find((each) => each.flag === flag);
      return found === undefined ? `--${flag}` : `--${flag} (or ${found.variable})`;
    },
  };
}

/** What Node says of wrong arguments, in one sentence that leads on. */
function parse(argv: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...argv], allowNegative: true, options });
  } catch (error) {
    const { message } = error as Error;
    const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    const near = unknown && nearest(unknown, flagsOf(options));
    const problem = unknown ? `unknown option ${unknown}` : (message.split(/\.\s|\.$|\n/, 1)[0] ?? message);
    throw new TypeError(`${problem}${near ? `; did you mean ${near}?` : ';'} --help lists all options`, {
      cause: error,
    });
  }
}

const flagsOf = (options: NonNullable<ParseArgsConfig['options']>) =>
  Object.entries(options).flatMap(([name, { type }]) =>
    type === 'boolean' ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );

/** The times of the Lease. createLeaderElection has the same rules, and other names. */
function leaseTimes(nameOf: NameOf, values: Readonly<Record<LeaseTime, string>>) {
  const [lease, renew, retry] = leaseFlags.map((flag) => seconds(nameOf(flag), values[flag])) as [
    number,
    number,
    number,
  ];
  const [leaseText, renewText, retryText] = leaseFlags.map((flag) => `${nameOf(flag)} (${values[flag]} s)`);
  if (lease <= renew) throw new RangeError(`${leaseText} must be greater than ${renewText}`);
  if (renew <= retry * 1.2) throw new RangeError(`${renewText} must be greater than 1.2 times ${retryText}`);
  return { leaseDurationMs: lease * 1000, renewDeadlineMs: renew * 1000, retryPeriodMs: retry * 1000 };
}

const leaseFlags = ['leader-elect-lease-duration', 'leader-elect-renew-deadline', 'leader-elect-retry-period'] as const;
type LeaseTime = (typeof leaseFlags)[number];

function leaseIn(option: string, text: string | undefined): NamespacedName | undefined {
  if (text === undefined || /^[^/]+\/[^/]+$/.test(text)) return text;
  throw new RangeError(`${option} must be NAMESPACE/NAME, received "${text}"`);
}

/** Refuses settings that are not valid, by the names that those who run the operator know. */
export function checkSettings(operator: Operator, given: Arguments['settings']): void {
  if (operator.settings === undefined) return;
  const values: Arguments['settings'] = { ...(operator.given as object | undefined), ...given };
  const settings = settingsOf(operator.settings, operator.name);
  validSettings(operator.settings, values, (name) => {
    const setting = settings.find((each) => each.name === name);
    return setting === undefined ? name : `--${setting.flag} (${setting.variable}), ${receivedOf(name, values[name])}`;
  });
}

/** What may be a secret goes into no log. */
function receivedOf(name: string, value: unknown): string {
  if (value === undefined) return 'not given';
  return /password|token|secret|key/i.test(name)
    ? 'received a value that is not shown'
    : `received ${JSON.stringify(value)}`;
}

/** `a,b`; nothing means everywhere, as for WATCH_NAMESPACE of the Operator SDK. */
function namespacesIn(text: string): readonly string[] | undefined {
  const names = text.split(',').map((each) => each.trim());
  const wanted = names.filter((each) => each !== '');
  const wrong = wanted.find((each) => !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(each));
  if (wrong !== undefined) throw new RangeError(`--namespace must be names of namespaces, received "${wrong}"`);
  return wanted.length > 0 ? wanted : undefined;
}

const flagOf = ({ type }: Setting) =>
  ({ type: type === 'boolean' ? 'boolean' : 'string', multiple: type === 'list' }) as const;

/** A flag before a variable; what neither gives is left to the schema. */
function givenSettings(
  settings: readonly Setting[],
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
): Readonly<Record<string, unknown>> {
  const given = settings.flatMap((setting): readonly (readonly [string, unknown])[] => {
    const flag = flags[setting.flag];
    const text = env[setting.variable];
    if (typeof flag === 'boolean') return [[setting.name, flag]];
    if (typeof flag === 'string') return [[setting.name, settingFrom(setting, flag)]];
    if (Array.isArray(flag)) return [[setting.name, flag.flatMap((each) => settingFrom(setting, String(each)))]];
    return text === undefined ? [] : [[setting.name, settingFrom(setting, text)]];
  });
  return Object.fromEntries(given);
}

function pairOf(
  what: string,
  certFile: string | undefined,
  keyFile: string | undefined,
): { readonly certFile: string; readonly keyFile: string } | undefined {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  throw new RangeError(`--${what}-cert and --${what}-key must be given together`);
}

function port(option: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65535) return value;
  throw new RangeError(`${option} must be a port from 0 to 65535, received "${text}"`);
}

function seconds(option: string, text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new RangeError(`${option} must be a number of seconds greater than 0, received "${text}"`);
}

/** Zero for never, as it is for Kubernetes' own resync periods. */
const resyncIn = (option: string, text: string): number =>
  text === '0' ? Number.POSITIVE_INFINITY : seconds(option, text) * 1000;

function oneOf<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new RangeError(`${option} must be one of ${choices.join(', ')}, received "${text}"`);
}
