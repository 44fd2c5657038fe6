/**
 * The command line of an operator: its own options and those that follow from its settings. Pure: arguments and
 * environment in, values out.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  type NamespacedName,
  type Operator,
  type Setting,
  servesWebhooks,
  settingFrom,
  settingsOf,
  validSettings,
  webhookPort,
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
  const parsed = parse(argv, { ...flags, ...own });
  const values = parsed.values as ReturnType<typeof parseArgs<{ options: typeof own }>>['values'];
  const metricsPort = port('--metrics-port', values['metrics-port']);
  const metricsTls = pairOf('metrics', values['metrics-cert'], values['metrics-key']);
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespaces: namespacesIn(values.namespace ?? env.WATCH_NAMESPACE ?? ''),
    healthPort: port('--health-port', values['health-port']),
    metricsPort,
    metricsTls,
    webhookPort: values['webhook-port'] === undefined ? undefined : port('--webhook-port', values['webhook-port']),
    webhookTls: pairOf('webhook', values['webhook-cert'], values['webhook-key']),
    gracePeriodMs: seconds('--grace-period', values['grace-period']) * 1000,
    resyncMs: values.resync === undefined ? undefined : resyncIn(values.resync),
    plan: values.plan,
    leaderElection: values['leader-elect'] && {
      lease: leaseIn(values['leader-elect-lease']),
      ...leaseTimes(values),
      onLost: values['leader-elect-exit'] ? 'exit' : 'rejoin',
    },
    logFormat:
      values['log-format'] === undefined ? undefined : oneOf('--log-format', values['log-format'], ['json', 'text']),
    logLevel: oneOf('--log-level', values['log-level'] ?? (values.plan ? 'warn' : 'info'), levels),
    logCauses: values['log-causes'],
    settings: givenSettings(settings, parsed.values, env),
    help: values.help,
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
function leaseTimes(values: Readonly<Record<LeaseTime, string>>) {
  const [lease, renew, retry] = leaseFlags.map((flag) => seconds(`--${flag}`, values[flag])) as [
    number,
    number,
    number,
  ];
  const [leaseText, renewText, retryText] = leaseFlags.map((flag) => `--${flag} (${values[flag]} s)`);
  if (lease <= renew) throw new RangeError(`${leaseText} must be greater than ${renewText}`);
  if (renew <= retry * 1.2) throw new RangeError(`${renewText} must be greater than 1.2 times ${retryText}`);
  return { leaseDurationMs: lease * 1000, renewDeadlineMs: renew * 1000, retryPeriodMs: retry * 1000 };
}

const leaseFlags = ['leader-elect-lease-duration', 'leader-elect-renew-deadline', 'leader-elect-retry-period'] as const;
type LeaseTime = (typeof leaseFlags)[number];

function leaseIn(text: string | undefined): NamespacedName | undefined {
  if (text === undefined || /^[^/]+\/[^/]+$/.test(text)) return text;
  throw new RangeError(`--leader-elect-lease must be NAMESPACE/NAME, received "${text}"`);
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
const resyncIn = (text: string): number => (text === '0' ? Number.POSITIVE_INFINITY : seconds('--resync', text) * 1000);

function oneOf<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new RangeError(`${option} must be one of ${choices.join(', ')}, received "${text}"`);
}

const ownCertificate = '\n                        (default: with a certificate that nobody vouches for)';

const webhookOptions = `
  --webhook-port N      where webhooks are answered (default: ${webhookPort} in a pod, nowhere
                        outside of the cluster; 0: nowhere)
  --webhook-cert FILE, --webhook-key FILE
                        with this certificate, which somebody else renews (default: in
                        a pod what OLM or a volume of cert-manager brought, else one
                        that the operator makes, keeps and renews itself)`;

/** The text of `--help`. */
export const helpText = (operator: Operator): string => {
  const { name, leaderElection: leads = false, secureMetrics: secure = false, settings } = operator;
  return `Usage: ${name} [options]

Runs the operator until it gets SIGTERM or SIGINT.

Options:
  --kubeconfig FILE     the cluster to work on (default: KUBECONFIG, then the pod's
                        service account, then ~/.kube/config)
  --context NAME        the context of that file (default: its current one)
  --namespace A,B       watch namespaced kinds there and nowhere else (default:
                        WATCH_NAMESPACE, then everywhere)
  --health-port N       where /healthz and /readyz answer (default: 8081, 0: nowhere)
  --metrics-port N      where /metrics answers (default: 8080, 0: nowhere)
  --metrics-cert FILE, --metrics-key FILE
                        answer with TLS, and only those who may get /metrics${secure ? ownCertificate : ''}${servesWebhooks(operator) ? webhookOptions : ''}
  --leader-elect        let one of several replicas work while the others stand by
                        (default: ${leads ? 'yes' : 'no'}; --no-leader-elect for the opposite)
  --leader-elect-lease NAMESPACE/NAME
                        the Lease (default: ${name}, in the pod's namespace)
  --leader-elect-lease-duration, --leader-elect-renew-deadline,
  --leader-elect-retry-period SECONDS
                        its times (default: 15, 10 and 2)
  --leader-elect-exit   end the process when the lease is lost, instead of joining
                        the next election
  --grace-period SECONDS  how long a stop may take; shorter than the pod's own grace
                        period of 30 (default: 25)
  --resync SECONDS      look at each object again after so long though nothing has
                        changed (default: what the controllers declare, 36000 unless
                        they say otherwise; 0: never)
  --log-format FORMAT   json or text (default: text on a terminal, json elsewhere)
  --log-level LEVEL     ${levels.join(', ')} (default: info; with --plan, warn)
  --log-causes          say with each pass why it runs
  --plan                print what each object's pass would write, as a diff, write
                        nothing, and end; the right to read is enough
  --help                this text
${settings === undefined ? '' : settingsHelp(settingsOf(settings, name))}`;
};

/** Where the text of an option begins. */
const column = 24;

function settingsHelp(settings: readonly Setting[]): string {
  const entries = settings.map((setting) => {
    const { flag, variable, type, description = '', choices, isRequired } = setting;
    const value = type === 'boolean' ? '' : ` ${type === 'number' ? 'N' : type === 'list' ? 'A,B' : 'TEXT'}`;
    const remarks = [
      ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
      isRequired
        ? 'required'
        : `default: ${setting.default === undefined ? 'none' : String(setting.default) || 'none'}`,
      variable,
    ];
    const head = `  --${flag}${value}`;
    const lines = [description, `(${remarks.join('; ')})`]
      .filter(Boolean)
      .map((line) => `${' '.repeat(column)}${line}`);
    return head.length < column
      ? [`${head.padEnd(column)}${lines[0]?.trimStart()}`, ...lines.slice(1)]
      : [head, ...lines];
  });
  return `\nSettings, each as a flag or a variable:\n${entries.flat().join('\n')}\n`;
}
