#!/usr/bin/env node
/** The `keelson` command: reads the arguments, prints, exits. Everything else is in the packages it calls. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { clusterCommand } from './cluster-command.ts';

/** In the checkout package.json lies above `src`, in the published package beside this file. */
function version(): string {
  for (const path of ['./package.json', '../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('The package.json of @keelson/cli is missing: install the package again.');
}

const program = new Command('keelson')
  .description('Kubernetes operators in TypeScript.')
  .version(version())
  .showHelpAfterError('(keelson --help lists the commands)')
  .helpCommand(true)
  .addCommand(clusterCommand())
  .allowExcessArguments()
  .action((_, { args: [unknown] }: Command) => {
    if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
    program.help();
  });

await program.parseAsync();
