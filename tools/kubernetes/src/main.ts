/** The program behind `npm run kube`: joins the command line with this process. */
import { systemClock, systemRandom } from '@keelson/core/system';
import { interruptedCode, runCommand } from './commands.ts';
import { progressTo } from './machine/progress.ts';

const controller = new AbortController();
let interruptedBy: NodeJS.Signals | undefined;
const [, , subcommand] = process.argv;
// `exec` leaves signals to the command it runs.
if (subcommand !== 'exec') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruptedBy ??= signal;
      controller.abort();
    });
  }
}

const code = await runCommand(process.argv.slice(2), {
  env: process.env,
  clock: systemClock,
  random: systemRandom,
  progress: progressTo(process.stderr, systemClock),
  signal: controller.signal,
  print: (line) => void process.stdout.write(`${line}\n`),
});
process.exitCode = code !== 0 && interruptedBy ? interruptedCode(interruptedBy) : code;
