/** `keelson create`: kinds and controllers for a project that is there. */
import type { ProjectChange } from '@keelson/generate/scaffold';
import { Command } from 'commander';
import { Asker, type Prompts, terminalPrompts } from './ask.ts';
import { CommandError, UsageError } from './command-error.ts';
import { kindBy, kindFlags, type NewKindFlags } from './kind-questions.ts';
import type { Project } from './project.ts';
import type { Shell } from './shell.ts';

const apiHelp = `
The kind goes to src/api, its controller and a test in virtual time to src/controllers,
a sample to config/samples, and the list in src/operator.ts gets one more entry. With
--no-controller the kind is exported there, and so installed all the same; with
--no-resource this is "keelson create controller".

Examples:
  $ keelson create api --group cache --version v1alpha1 --kind Memcached
  $ keelson create api --kind Page --no-controller`;

const controllerHelp = `
A kind of the project is found in src/api, one of Kubernetes by its group and version.
The controller is called for each object and does nothing yet.

Examples:
  $ keelson create controller --kind Page
  $ keelson create controller --group apps --version v1 --kind Deployment`;

interface ControllerFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface ApiFlags extends NewKindFlags {
  readonly resource?: boolean;
  readonly controller?: boolean;
}

export function createCommand(shell: Shell, prompts: Prompts = terminalPrompts()): Command {
  const create = new Command('create').description('Add a kind or a controller to a project.');
  kindFlags(create.command('api'), 'its name, in CamelCase')
    .description('Add a kind, a controller that makes Deployments of its objects, and their test.')
    .option('--resource', 'make the kind: asked for on a terminal, else yes')
    .option('--no-resource', 'the kind is there already')
    .option('--controller', 'make a controller: asked for on a terminal, else yes')
    .option('--no-controller', 'the kind gets no controller here')
    .addHelpText('after', apiHelp)
    .action((flags: ApiFlags) => createApi(flags, shell, prompts));
  create
    .command('controller')
    .description('Add a controller for a kind of the project, or for one of Kubernetes.')
    .option('--group <group>', 'the group of a kind of Kubernetes; without it, that of Pod and Service')
    .option('--version <version>', 'its version; without it, v1')
    .option('--kind <kind>', 'the kind')
    .addHelpText('after', controllerHelp)
    .action((flags: ControllerFlags) => createController(flags, shell, prompts));
  create
    .command('webhook')
    .description('Not there yet: the engine serves no webhooks.')
    .option('--group <group>', 'the group of the kind')
    .option('--version <version>', 'its version')
    .option('--kind <kind>', 'the kind')
    .action(() => {
      throw new CommandError(
        'the engine serves no webhooks yet',
        'defaults and rules of the kind itself (docs/first-operator.md) are enforced by the API server without one',
      );
    });
  return create;
}

async function createApi(flags: ApiFlags, shell: Shell, prompts: Prompts): Promise<void> {
  const asker = new Asker(flags, shell, prompts);
  const { readProject, refuseOwnKind } = await import('./project.ts');
  const project = await readProject(shell.cwd);
  const hasKind = await asker.yes('resource', 'Make the kind?');
  const hasController = await asker.yes('controller', 'Make a controller for it?');
  if (!hasController && !hasKind) throw new UsageError('neither the kind nor its controller is to be made', 'say one');
  if (!hasKind) return createController(flags, shell, prompts);
  const { newKind } = await import('@keelson/generate/scaffold');
  const made = await kindBy(asker, { domain: project.domain });
  const added = newKind({ ...made, operator: hasController ? project.operator : undefined });
  refuseOwnKind(project, made.kind.kind, added);
  await change(project, added, shell);
}

async function createController(flags: ControllerFlags, shell: Shell, prompts: Prompts): Promise<void> {
  const { builtInModule, hasOwnKind, readProject } = await import('./project.ts');
  const { kindProblem, newController } = await import('@keelson/generate/scaffold');
  const project = await readProject(shell.cwd);
  const { operator } = project;
  const kind = await new Asker(flags, shell, prompts).text('kind', {
    question: 'For which kind?',
    problem: kindProblem,
  });
  const { group = '', version = 'v1' } = flags;
  const module = hasOwnKind(project, kind) ? undefined : await builtInModule(group, version, kind);
  await change(project, newController({ kind, module, operator }), shell);
}

async function change(project: Project, added: ProjectChange, shell: Shell): Promise<void> {
  const { changeProject } = await import('./project.ts');
  shell.stopSignal(); // Ctrl-C comes before the first step from here on, or after the last
  for (const line of changeProject(project, added)) shell.out(`${line}\n`);
}
