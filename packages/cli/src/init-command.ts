/** `keelson init`: a new project, whole or not at all. */
import { basename, relative, resolve } from 'node:path';
import type { ScaffoldFile } from '@keelson/generate/scaffold';
import { Command } from 'commander';
import { Asker, type Prompts, terminalPrompts } from './ask.ts';
import { kindBy, kindFlags, type NewKindFlags } from './kind-questions.ts';
import { ownVersion } from './own-version.ts';
import type { Shell } from './shell.ts';

const help = `
The project has a kind, a controller that makes Deployments of its objects, a test in
virtual time, a Dockerfile and a workflow for CI. Where a terminal is there, it asks
for what no flag says. The folder is new, or empty but for .git.

Examples:
  $ keelson init website-operator
  $ keelson init memcached-operator --domain example.com --group cache --kind Memcached`;

/** Whether this runs from the sources of Keelson, and not as a package that npm has found. */
const isClone = !import.meta.url.includes('/node_modules/');
const unpublished = `The packages of Keelson are not published yet. Before "npm install", let a clone serve them:
  npm run registry        (there; it says what to tell npm here)
`;

interface InitFlags extends NewKindFlags {
  readonly name?: string;
  readonly domain?: string;
}

export function initCommand(shell: Shell, prompts: Prompts = terminalPrompts()): Command {
  const command = new Command('init')
    .description('Make a new operator: a small project that installs, runs and has a test.')
    .argument('[folder]', 'where; without it, here')
    .option('--name <name>', 'of the operator and its package; without it, that of the folder')
    .option('--domain <domain>', 'what the groups of its kinds end with; without it, example.com');
  return kindFlags(command, 'its first kind; without it, after the name: Website for website-operator')
    .addHelpText('after', help)
    .action(async (folder: string | undefined, flags: InitFlags) => {
      const target = resolve(shell.cwd, folder ?? '.');
      // Loaded late: `keelson --help` needs none of it.
      const { placeProject } = await import('./place-files.ts');
      const files = await filesFor(target, new Asker(flags, shell, prompts));
      shell.stopSignal(); // Ctrl-C comes before the first step from here on, or after the last
      placeProject(target, files);
      const place = relative(shell.cwd, target);
      const steps = [...(place === '' ? [] : [`cd ${place}`]), 'npm install', 'npm test', 'npm run dev'];
      shell.out(`Made ${place === '' ? 'the project here' : place}: ${files.length} files. Next:\n`);
      for (const step of steps) shell.out(`  ${step}\n`);
      if (isClone) shell.out(unpublished);
    });
}

async function filesFor(target: string, asker: Asker<InitFlags>): Promise<readonly ScaffoldFile[]> {
  const { domainProblem, kindOf, projectFiles, projectNameProblem } = await import('@keelson/generate/scaffold');
  const name = await asker.text('name', {
    question: 'What is the operator called?',
    problem: projectNameProblem,
    otherwise: basename(target),
  });
  const domain = await asker.text('domain', {
    question: 'Which domain do its kinds belong to?',
    problem: domainProblem,
    otherwise: 'example.com',
  });
  const first = await kindBy(asker, { domain, kind: kindOf(name) });
  return projectFiles({ name, domain, ...first, keelson: ownVersion() });
}
