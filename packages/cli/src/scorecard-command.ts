/** `keelson scorecard`: judges a bundle as Operator SDK does, without a cluster. */
import { Command } from 'commander';
import { Discrepancy } from './command-error.ts';
import { type OutputFlags, outputFlag } from './flags.ts';
import { json, painted } from './print.ts';
import type { Shell } from './shell.ts';

const help = `
These are the checks of "operator-sdk bundle validate" with the suite of OperatorHub and
of "operator-sdk scorecard", but nothing is run in pods: what the operator does is for its
own tests. Any bundle will do, whoever made it. It exits with 1 when there is an error;
warnings alone are no failure.

Examples:
  $ keelson bundle && keelson scorecard
  $ keelson scorecard ../another-operator/bundle --output json`;

const styles = { ok: 'green', warning: 'yellow', error: 'red' } as const;

/** The command; what it runs is loaded when it is called. */
export function scorecardCommand(shell: Shell): Command {
  const command = new Command('scorecard')
    .description('Judge a bundle for OLM, and say what to do about what is wrong.')
    .argument('[bundle]', 'the folder with manifests/ and metadata/', 'bundle');
  return outputFlag(command)
    .addHelpText('after', help)
    .action(async (folder: string, { output }: OutputFlags) => {
      const [{ readBundle }, { judgeBundle }] = await Promise.all([
        import('./read-bundle.ts'),
        import('@keelson/generate/scorecard'),
      ]);
      const checks = judgeBundle(await readBundle(folder, shell));
      const levels = checks.map(({ findings }) => {
        if (findings.some(({ level }) => level === 'error')) return 'error';
        return findings.length > 0 ? 'warning' : 'ok';
      });
      const lines = checks.map(({ check, what, findings }, i) => {
        const level = levels[i] ?? 'ok';
        const head = `${painted(shell, styles[level], level.padEnd(7))}  ${check.padEnd(24)}  ${what}\n`;
        return `${head}${findings.map((each) => `${' '.repeat(9)}${each.text};\n${' '.repeat(11)}${each.next}.\n`).join('')}`;
      });
      shell.out(output === 'json' ? json(checks) : lines.join(''));
      if (levels.includes('error')) throw new Discrepancy();
    });
}
