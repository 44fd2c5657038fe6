/** `keelson completion`: a script by which a shell completes commands and flags, made of the commands themselves. */
import { Argument, Command } from 'commander';
import type { Shell } from './shell.ts';

const examples = `
Examples:
  $ source <(keelson completion bash)                                      (in ~/.bashrc)
  $ source <(keelson completion zsh)                                       (in ~/.zshrc)
  $ keelson completion fish > ~/.config/fish/completions/keelson.fish`;

export function completionCommand(shell: Shell): Command {
  return new Command('completion')
    .description('Print a script that completes the commands and flags of keelson in a shell.')
    .addArgument(new Argument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', examples)
    .action(async (which: 'bash' | 'zsh' | 'fish', _, command: Command) => {
      const { completionScript } = await import('./completion.ts');
      if (command.parent !== null) shell.out(completionScript(which, command.parent));
    });
}
