/** `keelson doctor`: looks at the project, the cluster and the way there, and says what to do about what is wrong. */
import { Command } from 'commander';
import { Discrepancy } from './command-error.ts';
import {
  type ClusterFlags,
  clusterFlags,
  type OperatorFlags,
  type OutputFlags,
  operatorFlag,
  outputFlag,
} from './flags.ts';
import { json, painted } from './print.ts';
import { progress, type Shell } from './shell.ts';

export type DoctorFlags = ClusterFlags & OperatorFlags;

const styles = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

const examples = `
It looks at Node, the field of package.json and the operator's module; at the cluster, its
version and the certificates on the way; at the definitions, which should be as the
operator's kinds say; at the certificate of its webhooks; and at the rights of the user.
Nothing is changed, so that any cluster will do. It exits with 1 when something failed.

Examples:
  $ keelson doctor
  $ keelson doctor --context production --output json`;

export function doctorCommand(shell: Shell): Command {
  const command = new Command('doctor').description(
    'Examine the project and the cluster, and say what to do about what is wrong.',
  );
  return outputFlag(clusterFlags(operatorFlag(command)))
    .addHelpText('after', examples)
    .action(async ({ output, ...flags }: DoctorFlags & OutputFlags) => {
      progress(shell, 'Looking at the project and the cluster');
      const { examine } = await import('./doctor.ts');
      const findings = await examine(flags, shell);
      const lines = findings.map(({ check, status, text, next }) => {
        const first = `${painted(shell, styles[status], status.padEnd(7))}  ${check.padEnd(12)}  ${text}\n`;
        return next === undefined ? first : `${first}${' '.repeat(23)}${next}.\n`;
      });
      shell.out(output === 'json' ? json(findings) : lines.join(''));
      if (findings.some(({ status }) => status === 'failed')) throw new Discrepancy();
    });
}
