/** `keelson explain`: which rule of the role is needed by which declaration. */
import type { PolicyRule } from '@keelson/core';
import { Command } from 'commander';
import { type OperatorFlags, type OutputFlags, operatorFlag, outputFlag } from './flags.ts';
import { json, table } from './print.ts';
import type { Shell } from './shell.ts';

const examples = `
Examples:
  $ keelson explain
  $ keelson explain --output json | jq '.[] | select(.rule.resources[0] == "secrets")'`;

export function explainCommand(shell: Shell): Command {
  const command = new Command('explain').description(
    "Print the rules of the operator's role, and which declaration needs each of them. No cluster is asked.",
  );
  return outputFlag(operatorFlag(command))
    .addHelpText('after', examples)
    .action(async ({ operator: file, output }: OperatorFlags & OutputFlags) => {
      const [{ explainRules }, { loadOperator }] = await Promise.all([
        import('@keelson/core'),
        import('./operator-module.ts'),
      ]);
      const { operator } = await loadOperator({ cwd: shell.cwd, operator: file });
      const rules = explainRules(operator);
      if (output === 'json') {
        shell.out(json(rules));
        return;
      }
      const rows = rules.flatMap(({ rule, neededBy }) =>
        neededBy.map(({ declaration, verbs }, i) => {
          return [i === 0 ? resourceIn(rule) : '', verbs.join(','), declaration];
        }),
      );
      shell.out(table(shell, ['RESOURCE', 'VERBS', 'NEEDED BY'], rows));
    });
}

/** `memcacheds.cache.example.com/status`, or `secrets (a-certificate)` where only an object of that name is meant. */
function resourceIn({ apiGroups: [group], resources: [path = ''], resourceNames = [] }: PolicyRule): string {
  const [resource = '', subresource] = path.split('/');
  const names = resourceNames.length > 0 ? ` (${resourceNames.join(', ')})` : '';
  return `${group ? `${resource}.${group}` : resource}${subresource ? `/${subresource}` : ''}${names}`;
}
