import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, operatorProcess } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { z } from 'zod';
import { checkSettings, readArguments } from './command-line.ts';
import { helpText } from './help-text.ts';

const settings = z.object({
  dnsServer: z.string().describe('Where records are made.'),
  interval: z.int().min(1).default(60).describe('Seconds between two looks.'),
  dryRun: z.boolean().default(false),
  zones: z.array(z.string()).default([]),
  mode: z.enum(['fast', 'safe']).default('safe'),
});
const website = operator({ name: 'website', controllers: [{ for: ConfigMap }], settings });
const plain = operator({ name: 'plain', controllers: [{ for: ConfigMap }] });
const led = operator({ name: 'led', controllers: [{ for: ConfigMap }], leaderElection: true });

test('what is not given has the defaults that --help promises', () => {
  const { healthPort, metricsPort, gracePeriodMs, leaderElection, logLevel } = readArguments([], {}, plain);
  assert.deepEqual(
    [healthPort, metricsPort, gracePeriodMs, leaderElection, logLevel],
    [8081, 8080, 25_000, false, 'info'],
  );
  assert.match(helpText(plain), /default: 8081.*\n.*default: 8080/);
  const { plan, help, logCauses, namespaces, settings: none } = readArguments([], {}, plain);
  assert.deepEqual([plan, help, logCauses, namespaces, none], [false, false, false, undefined, {}]);
  const { help: asked, logCauses: causes } = readArguments(['--help', '--log-causes'], {}, plain);
  assert.deepEqual([asked, causes], [true, true]);
  assert.match(helpText(plain), /default: no; --no-leader-elect.*\n/);
  assert.match(helpText(led), /default: yes; --no-leader-elect.*\n/);
  assert.match(helpText(plain), /--log-level LEVEL {5}debug, info, warn, error \(/);
});

test('a resync is what the controllers declare, unless a flag gives its seconds, or none', () => {
  const resyncOf = (...argv: readonly string[]) => readArguments(argv, {}, plain).resyncMs;
  assert.equal(resyncOf(), undefined);
  assert.equal(resyncOf('--resync', '90.5'), 90_500);
  assert.equal(resyncOf('--resync', '0'), Number.POSITIVE_INFINITY);
  assert.throws(() => resyncOf('--resync', '-1'), /--resync/);
  assert.throws(() => resyncOf('--resync', 'often'), {
    message: '--resync must be a number of seconds greater than 0, received "often"',
  });
  assert.match(helpText(plain), /--resync SECONDS [^-]+36000 unless\n +they say otherwise; 0: never\)\n/);
});

test('the process that manifests are made for is the one that runs', () => {
  const { health, metrics, gracePeriodSeconds, namespacesVariable = '', args } = operatorProcess(led);
  const told = readArguments(args, { [namespacesVariable]: 'a,b' }, plain);
  assert.deepEqual([health.port, metrics?.port, gracePeriodSeconds * 1000], [8081, 8080, 25_000]);
  assert.deepEqual([told.healthPort, told.metricsPort, told.gracePeriodMs], [8081, 8080, 25_000]);
  assert.deepEqual(told.namespaces, ['a', 'b']);
  assert.notEqual(told.leaderElection, false);
  assert.deepEqual(operatorProcess(plain).args, []);
});

test('leadership is what the operator declares, unless a flag says otherwise', () => {
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
  assert.deepEqual(readArguments([], {}, led).leaderElection, { ...times, lease: undefined, onLost: 'rejoin' });
  assert.equal(readArguments(['--no-leader-elect'], {}, led).leaderElection, false);
  const flags = [
    '--leader-elect',
    '--leader-elect-lease',
    'a/b',
    '--leader-elect-exit',
    '--leader-elect-retry-period',
    '0.5',
  ];
  assert.deepEqual(readArguments(flags, {}, plain).leaderElection, {
    ...times,
    retryPeriodMs: 500,
    lease: 'a/b',
    onLost: 'exit',
  });
});

test('a setting comes from its flag, then from its variable; lists may be repeated', () => {
  const env = { WEBSITE_DNS_SERVER: 'from-env', WEBSITE_INTERVAL: '5', WEBSITE_DRY_RUN: 'true', WEBSITE_ZONES: 'a,b' };
  assert.deepEqual(readArguments([], env, website).settings, {
    dnsServer: 'from-env',
    interval: 5,
    dryRun: true,
    zones: ['a', 'b'],
  });
  const flags = ['--dns-server', 'from-flag', '--interval', '7', '--no-dry-run', '--zones', 'x', '--zones', 'y,z'];
  assert.deepEqual(readArguments(flags, env, website).settings, {
    dnsServer: 'from-flag',
    interval: 7,
    dryRun: false,
    zones: ['x', 'y', 'z'],
  });
  assert.deepEqual(readArguments([], {}, website).settings, {}, 'what nobody gives is left to the schema');
  assert.throws(
    () => readArguments(['--dns-server', 'x'], {}, plain),
    /^TypeError: unknown option --dns-server; --help lists all options$/,
  );
});

test('--help shows each setting with its flag, its variable and its default', () => {
  assert.equal(
    helpText(website).split('\nSettings')[1],
    `, each as a flag or a variable:
  --dns-server TEXT     Where records are made.
                        (required; WEBSITE_DNS_SERVER)
  --interval N          Seconds between two looks.
                        (default: 60; WEBSITE_INTERVAL)
  --dry-run             (default: false; WEBSITE_DRY_RUN)
  --zones A,B           (default: none; WEBSITE_ZONES)
  --mode TEXT           (one of fast, safe; default: safe; WEBSITE_MODE)
`,
  );
  assert.doesNotMatch(helpText(plain), /Settings/);
});

test('a setting with the name of an option that every operator has is refused', () => {
  const clashing = operator({
    name: 'x',
    controllers: [{ for: ConfigMap }],
    settings: z.object({ logLevel: z.string() }),
  });
  assert.throws(() => readArguments([], {}, clashing), {
    name: 'RangeError',
    message: 'setting logLevel: --log-level is an option of every operator; give it another name',
  });
});

test('a certificate has two files; without, metrics that are declared secure have one of their own', () => {
  const secure = operator({ name: 'x', controllers: [{ for: ConfigMap }], secureMetrics: true });
  assert.match(helpText(secure), /get \/metrics\n +\(default: with a certificate that nobody vouches for\)\n/);
  assert.match(helpText(plain), /get \/metrics\n {2}--leader-elect /);
  assert.equal(readArguments([], {}, secure).metricsTls, undefined);
  assert.throws(() => readArguments(['--metrics-cert', 'a'], {}, plain), /must be given together/);
  assert.equal(readArguments(['--metrics-port', '0'], {}, secure).metricsPort, 0);
  const given = readArguments(['--metrics-cert', 'a', '--metrics-key', 'b'], {}, secure);
  assert.deepEqual(given.metricsTls, { certFile: 'a', keyFile: 'b' });
});

test('webhooks have a port and a certificate of their own, of which only an operator with webhooks speaks', () => {
  const answering = operator({ name: 'x', webhooks: [{ for: ConfigMap, defaults: true, validates: false }] });
  assert.match(helpText(answering), /get \/metrics\n {2}--webhook-port N {6}where webhooks are answered/);
  assert.doesNotMatch(helpText(plain), /webhook/);
  assert.deepEqual(operatorProcess(answering).webhooks, { port: 9443 });
  assert.equal(operatorProcess(plain).webhooks, undefined);
  const { webhookPort, webhookTls } = readArguments([], {}, answering);
  assert.deepEqual([webhookPort, webhookTls], [undefined, undefined]);
  const given = readArguments(['--webhook-port', '0', '--webhook-cert', 'a', '--webhook-key', 'b'], {}, answering);
  assert.deepEqual([given.webhookPort, given.webhookTls], [0, { certFile: 'a', keyFile: 'b' }]);
  assert.throws(
    () => readArguments(['--webhook-key', 'b'], {}, plain),
    /--webhook-cert and --webhook-key must be given together/,
  );
});

test('a plan logs warnings alone unless told otherwise', () => {
  const levelOf = (...argv: readonly string[]) => {
    const { plan, logLevel } = readArguments(argv, {}, plain);
    return [plan, logLevel];
  };
  assert.deepEqual(levelOf('--plan'), [true, 'warn']);
  assert.deepEqual(levelOf('--plan', '--log-level', 'info'), [true, 'info']);
  assert.deepEqual(levelOf('--metrics-port', '0'), [false, 'info']);
});

test('an argument that cannot be used is refused with the value received', () => {
  const cases = [
    [['--health-port', '70000'], '--health-port must be a port from 0 to 65535, received "70000"'],
    [['--grace-period', '0'], '--grace-period must be a number of seconds greater than 0, received "0"'],
    [['--grace-period', '-1s'], /grace-period/],
    [['--metrics-port', 'x'], '--metrics-port must be a port from 0 to 65535, received "x"'],
    [
      ['--leader-elect', '--leader-elect-retry-period', 'x'],
      '--leader-elect-retry-period must be a number of seconds greater than 0, received "x"',
    ],
    [['--namespace', 'a,Foo_Bar'], '--namespace must be names of namespaces, received "Foo_Bar"'],
    [['--namespace', `a${'b'.repeat(63)}`], `--namespace must be names of namespaces, received "a${'b'.repeat(63)}"`],
    [['--log-level', 'loud'], '--log-level must be one of debug, info, warn, error, received "loud"'],
    [
      ['--leader-elect', '--leader-elect-lease-duration', '9'],
      '--leader-elect-lease-duration (9 s) must be greater than --leader-elect-renew-deadline (10 s)',
    ],
    [
      ['--leader-elect', '--leader-elect-renew-deadline', '2.4'],
      '--leader-elect-renew-deadline (2.4 s) must be greater than 1.2 times --leader-elect-retry-period (2 s)',
    ],
    [['--leader-elect', '--leader-elect-lease', 'a'], '--leader-elect-lease must be NAMESPACE/NAME, received "a"'],
    [['--log-format', 'xml'], '--log-format must be one of json, text, received "xml"'],
  ] as const;
  for (const [argv, message] of cases) assert.throws(() => readArguments(argv, {}, plain), { message });
  assert.equal(readArguments(['--health-port', '65535'], {}, plain).healthPort, 65_535);
  const close = ['--leader-elect', '--leader-elect-renew-deadline', '2.41'];
  assert.notEqual(readArguments(close, {}, plain).leaderElection, false);
});

test('an option that there is not leads to a near one, and to --help', () => {
  const cases = [
    [['--metric-port', '1'], 'unknown option --metric-port; did you mean --metrics-port? --help lists all options'],
    [
      ['--no-leader-election'],
      'unknown option --no-leader-election; did you mean --no-leader-elect? --help lists all options',
    ],
    [['--intervall=7'], 'unknown option --intervall; did you mean --interval? --help lists all options'],
    [['--fast-and-safe'], 'unknown option --fast-and-safe; --help lists all options'],
    [['--no-grace-perio'], /did you mean --grace-period\?/],
    [['--grace-perio', '1'], 'unknown option --grace-perio; did you mean --grace-period? --help lists all options'],
    [['-x'], 'unknown option -x; --help lists all options'],
    [['--grace-period'], /argument missing; --help lists all options$/],
    [['now.yaml'], "Unexpected argument 'now.yaml'; --help lists all options"],
  ] as const;
  for (const [argv, message] of cases) assert.throws(() => readArguments(argv, {}, website), { message });
});

test('a setting that is not valid is named by its flag and its variable, with what was received unless it may be secret', () => {
  const strict = operator({
    name: 'x',
    controllers: [{ for: ConfigMap }],
    settings: z.object({ times: z.int().min(1), dnsServer: z.string(), apiToken: z.string().max(3) }),
  });
  const refused = (values: Readonly<Record<string, unknown>>) => {
    try {
      checkSettings(strict, values);
    } catch (error) {
      return String(error);
    }
    return 'nothing';
  };
  assert.equal(refused({ times: 1, dnsServer: 'a', apiToken: 'abc' }), 'nothing');
  const text = refused({ times: 0, apiToken: 'hunter2' });
  assert.match(text, /^RangeError: settings are not valid: --times \(X_TIMES\), received 0: Too small/);
  assert.match(text, /; --dns-server \(X_DNS_SERVER\), not given: Invalid input/);
  assert.match(text, /; --api-token \(X_API_TOKEN\), received a value that is not shown: Too big/);
  assert.doesNotMatch(text, /hunter2/);
  checkSettings(plain, {});
});

test('namespaces come from the flag, then from WATCH_NAMESPACE; an empty one means everywhere', () => {
  const env = { WATCH_NAMESPACE: 'c' };
  assert.equal(readArguments([], {}, plain).namespaces, undefined);
  assert.deepEqual(readArguments([], env, plain).namespaces, ['c']);
  assert.deepEqual(readArguments(['--namespace', 'a, b'], env, plain).namespaces, ['a', 'b']);
  assert.equal(readArguments(['--namespace', ''], env, plain).namespaces, undefined);
});

test('--help lists settings with their values, choices, defaults and variables, each text in its column', () => {
  const many = operator({
    name: 'x',
    controllers: [{ for: ConfigMap }],
    settings: z.object({
      dns: z.string().describe('Where records are made.'),
      settingWithLongName: z.int().default(3),
      zones: z.array(z.string()).default([]),
      mode: z.enum(['fast', 'safe']).optional(),
      dryRun: z.boolean().default(false),
    }),
  });
  const [, help] = helpText(many).split('\nSettings, each as a flag or a variable:\n');
  assert.equal(
    help,
    `  --dns TEXT            Where records are made.
                        (required; X_DNS)
  --setting-with-long-name N
                        (default: 3; X_SETTING_WITH_LONG_NAME)
  --zones A,B           (default: none; X_ZONES)
  --mode TEXT           (one of fast, safe; default: none; X_MODE)
  --dry-run             (default: false; X_DRY_RUN)
`,
  );
});

test('an option comes from its flag, then from its variable, then from what is declared', () => {
  const env = {
    KEELSON_HEALTH_PORT: '1',
    KEELSON_METRICS_PORT: '2',
    KEELSON_GRACE_PERIOD: '3',
    KEELSON_LOG_LEVEL: 'debug',
    KEELSON_LOG_FORMAT: '',
    KEELSON_LOG_CAUSES: 'true',
    KEELSON_LEADER_ELECT: 'false',
  };
  const told = readArguments(['--metrics-port', '9', '--no-log-causes'], env, led);
  assert.deepEqual([told.healthPort, told.metricsPort, told.gracePeriodMs], [1, 9, 3000]);
  assert.deepEqual([told.logLevel, told.logFormat, told.logCauses], ['debug', undefined, false]);
  assert.equal(told.leaderElection, false);
  assert.notEqual(readArguments(['--leader-elect'], env, led).leaderElection, false);
  const others = { KEELSON_PLAN: 'true', KEELSON_HELP: 'true', KEELSON_NAMESPACE: 'a' };
  const { plan, help, namespaces } = readArguments([], others, plain);
  assert.deepEqual([plan, help, namespaces], [false, false, undefined]);
  assert.match(helpText(plain), /KEELSON_LOG_LEVEL=debug/);
});

test('no variable of ours leads to another cluster than a command has looked at', () => {
  const { kubeconfig, context } = readArguments([], { KEELSON_KUBECONFIG: 'f', KEELSON_CONTEXT: 'production' }, plain);
  assert.deepEqual([kubeconfig, context], [undefined, undefined]);
});

test('a variable that cannot be used is named', () => {
  const cases = [
    [
      { KEELSON_HEALTH_PORT: 'tcp://10.0.0.1:80' },
      /^RangeError: --health-port \(or KEELSON_HEALTH_PORT\) must be a port/,
    ],
    [{ KEELSON_LEADER_ELECT: 'yes' }, /^RangeError: KEELSON_LEADER_ELECT must be one of true, false, received "yes"/],
    [
      { KEELSON_LEADER_ELECT_LEASE_DURATION: '9' },
      /lease-duration \(or KEELSON_LEADER_ELECT_LEASE_DURATION\) \(9 s\) must be greater than --leader-elect-renew/,
    ],
  ] as const;
  for (const [env, message] of cases) assert.throws(() => readArguments([], env, led), message);
});
