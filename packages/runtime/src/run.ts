/** `run`: an operator as a process. It reads arguments, environment and signals, prints, and sets the exit code. */
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { loadConfig } from '@keelson/client';
import type { Operator } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import type { Controller } from './controller.ts';
import type { LeadershipOptions } from './leadership.ts';
import { jsonLogger, type Level, levels, textLogger } from './log.ts';
import type { Logger } from './logger.ts';
import { createManager } from './manager.ts';
import { errorOf } from './thrown.ts';

const help = ({ name, leaderElection: leads = false }: Operator) => `Usage: ${name} [options]

Runs the operator until it gets SIGTERM or SIGINT.

Options:
  --kubeconfig FILE     the cluster to work on (default: KUBECONFIG, then the pod's
                        service account, then ~/.kube/config)
  --context NAME        the context of that file (default: its current one)
  --health-port N       where /healthz and /readyz answer (default: 8081, 0: nowhere)
  --metrics-port N      where /metrics answers (default: 8080, 0: nowhere)
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
  --log-format FORMAT   json or text (default: text on a terminal, json elsewhere)
  --log-level LEVEL     ${levels.join(', ')} (default: info)
  --help                this text
`;

/** Runs until a signal comes. Any failure to start is one sentence on standard error and exit code 1. */
export async function run(
  operator: Operator<Controller>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  let stop: AbortSignal | undefined;
  try {
    const options = readArguments(argv, operator);
    if (options.help) {
      process.stdout.write(help(operator));
      return;
    }
    const logger = processLogger(operator.name, options);
    const config = await loadConfig({ kubeconfig: options.kubeconfig, context: options.context });
    logger.info('Starting operator', {
      operator: operator.name,
      node: process.version,
      platform: `${process.platform}/${process.arch}`,
      cluster: config.source,
    });
    const manager = createManager(operator, {
      config,
      logger,
      health: options.healthPort > 0 && { port: options.healthPort },
      metrics: options.metricsPort > 0 && { port: options.metricsPort },
      gracePeriodMs: options.gracePeriodMs,
      leaderElection: options.leaderElection && {
        ...options.leaderElection,
        // In a pod, the host's name is the pod's.
        identity: `${hostname()}_${systemRandom.uuid()}`,
      },
    });
    using _rejections = reportedRejections(logger);
    stop = stopSignal(logger);
    await manager.start(stop);
  } catch (thrown) {
    process.stderr.write(`${operator.name}: ${errorOf(thrown, operator.name).message}\n`);
    // What did not stop may keep the process alive for ever.
    if (stop?.aborted) process.exit(1);
    process.exitCode = 1;
  }
}

interface Arguments extends LogArguments {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly gracePeriodMs: number;
  readonly leaderElection: LeadershipOptions | false;
  readonly help: boolean;
}

interface LogArguments {
  readonly logFormat: 'json' | 'text';
  readonly logLevel: Level;
}

function readArguments(argv: readonly string[], { leaderElection = false }: Operator): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    allowNegative: true,
    options: {
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      'health-port': { type: 'string', default: '8081' },
      'metrics-port': { type: 'string', default: '8080' },
      'leader-elect': { type: 'boolean', default: leaderElection },
      'leader-elect-lease': { type: 'string' },
      'leader-elect-lease-duration': { type: 'string', default: '15' },
      'leader-elect-renew-deadline': { type: 'string', default: '10' },
      'leader-elect-retry-period': { type: 'string', default: '2' },
      'leader-elect-exit': { type: 'boolean', default: false },
      'grace-period': { type: 'string', default: '25' },
      'log-format': { type: 'string', default: process.stderr.isTTY ? 'text' : 'json' },
      'log-level': { type: 'string', default: 'info' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    healthPort: port('--health-port', values['health-port']),
    metricsPort: port('--metrics-port', values['metrics-port']),
    gracePeriodMs: seconds('--grace-period', values['grace-period']) * 1000,
    leaderElection: values['leader-elect'] && {
      lease: values['leader-elect-lease'],
      leaseDurationMs: seconds('--leader-elect-lease-duration', values['leader-elect-lease-duration']) * 1000,
      renewDeadlineMs: seconds('--leader-elect-renew-deadline', values['leader-elect-renew-deadline']) * 1000,
      retryPeriodMs: seconds('--leader-elect-retry-period', values['leader-elect-retry-period']) * 1000,
      onLost: values['leader-elect-exit'] ? 'exit' : 'rejoin',
    },
    logFormat: oneOf('--log-format', values['log-format'], ['json', 'text']),
    logLevel: oneOf('--log-level', values['log-level'], levels),
    help: values.help,
  };
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

function oneOf<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new RangeError(`${option} must be one of ${choices.join(', ')}, received "${text}"`);
}

function processLogger(name: string, { logFormat, logLevel }: LogArguments): Logger {
  const common = { name, clock: systemClock, level: logLevel };
  return logFormat === 'json' ? jsonLogger(common) : textLogger({ ...common, color: process.stderr.isTTY });
}

/**
 * A promise that nobody waits for would end the process, and all other objects' work with it, each time it is rejected.
 * This is a policy for the whole process, so it is set here and nowhere in the library.
 */
function reportedRejections(logger: Logger): Disposable {
  const report = (reason: unknown) =>
    logger.error('A promise was rejected and nobody waited for it: an await is missing', {
      error: errorOf(reason, 'an asynchronous function'),
    });
  process.on('unhandledRejection', report);
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', report) };
}

/** Aborted by the first SIGTERM or SIGINT; the second one ends the process at once, as the system does by default. */
function stopSignal(logger: Logger): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      logger.info('Shutting down', { signal: name });
      controller.abort(new Error(`The operator got ${name}.`));
    });
  }
  return controller.signal;
}
