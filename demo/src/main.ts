/**
 * What `npm start` runs: the Memcached and the Echo operator, on a cluster of its own in this process or on one that a
 * kubeconfig names.
 *
 * Everything that can go wrong before the operators work is one sentence on standard error and exit code 1. This file
 * imports nothing that takes time to load, so that the first line is there at once.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '@keelson/core/system';

const usage = `Usage: npm start [-- --kubeconfig FILE [--context NAME] [--webhook-url URL]]

Runs the Memcached and the Echo operator until Ctrl-C: on a cluster in this process, with
samples, or on the cluster of a kubeconfig, where their definitions are installed. Without
--kubeconfig no other cluster is touched, whatever the environment says; one that is not on
this machine (by a loopback address) has to be named with --context, too.

Options:
  --kubeconfig FILE   the cluster to work on (default: one in this process)
  --context NAME      the context of that file (default: its current one)
  --webhook-url URL   where that cluster's API server reaches this machine, to have
                      versions converted: https://HOST:PORT (default: a free port on
                      127.0.0.1, if its address is a loopback one)
  --help              this text
`;

function readArguments() {
  try {
    return parseArgs({
      options: {
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        'webhook-url': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    // The first sentence names the argument; the rest is about command lines in general.
    const [sentence] = (error as Error).message.split('. ');
    throw new Error(`${sentence}; npm start -- --help lists the options.`, { cause: error });
  }
}

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const { kubeconfig, context, 'webhook-url': webhookUrl } = values;
  if (kubeconfig === undefined && context !== undefined) {
    throw new Error('--context chooses from a file: name it with --kubeconfig FILE.');
  }
  if (kubeconfig === undefined && webhookUrl !== undefined) {
    throw new Error('--webhook-url is for the cluster of a kubeconfig: name it with --kubeconfig FILE.');
  }
  const signal = stopSignal();
  if (kubeconfig === undefined) {
    process.stdout.write('Starting a Kubernetes cluster in this process…\n');
    const { runEmbedded } = await import('./embedded.ts');
    await unlessStopped(runEmbedded(signal), signal);
  } else {
    process.stdout.write(`Connecting to the cluster of ${kubeconfig}…\n`);
    const { runOnCluster } = await import('./on-cluster.ts');
    await unlessStopped(runOnCluster({ kubeconfig, context, webhookUrl }, signal), signal);
  }
}

/** Aborted by Ctrl-C, by SIGTERM, and when the shell in which npm runs this is gone: npm signals that shell alone. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new Error('stopped'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, abort);
  const parent = process.ppid;
  const lookAgain = () => {
    if (process.ppid !== parent) abort();
    else systemClock.setTimer(500, lookAgain).unref();
  };
  if (process.env.npm_lifecycle_event === 'start') lookAgain();
  return stop.signal;
}

/** What fails because it was told to stop has not failed. */
async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

// Whoever reads the output may stop reading (`npm start | head`): then there is no reader left.
process.stdout.on('error', () => process.exit(0));

try {
  await main();
} catch (error) {
  process.stderr.write(`npm start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
