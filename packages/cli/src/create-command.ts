/** `keelson create`: kinds, controllers and webhooks for a project that is there. */
import type { ProjectChange } from '@keelson/generate/scaffold';
import { Command } from 'commander';
import { Asker, type Prompts, terminalPrompts } from './ask.ts';
import { UsageError } from './command-error.ts';
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

const webhookHelp = `
The webhook and a test go to src/webhooks, and the list of webhooks in src/operator.ts gets
one more entry. It lets everything through yet. Without --defaulting and --validation it
has both parts. What the schema of a kind can say needs no webhook: see docs/webhooks.md.

Examples:
  $ keelson create webhook --kind Page --validation
  $ keelson create webhook --group apps --version v1 --kind Deployment --defaulting`;

interface ControllerFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface WebhookFlags extends ControllerFlags {
  readonly defaulting?: boolean;
  readonly validation?: boolean;
}

interface ApiFlags extends NewKindFlags {
  readonly resource?: boolean;
  readonly controller?: boolean;
}

export function createCommand(shell: Shell, prompts: Prompts = terminalPrompts()): Command {
  const create = new Command('create').description('Add a kind, a controller or a webhook to a project.');
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
    .description('Add a webhook for a kind of the project, or for one of Kubernetes.')
    .option('--group <group>', 'the group of a kind of Kubernetes; without it, that of Pod and Service')
    .option('--version <version>', 'its version; without it, v1')
    .option('--kind <kind>', 'the kind')
    .option('--defaulting', 'fill in what a request leaves open')
    .option('--validation', 'refuse requests, or warn')
    .addHelpText('after', webhookHelp)
    .action((flags: WebhookFlags) => createWebhook(flags, shell, prompts));
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
  const { newController } = await import('@keelson/generate/scaffold');
  const { project, ...subject } = await subjectOf(new Asker(flags, shell, prompts), shell);
  await change(project, newController(subject), shell);
}

async function createWebhook(flags: WebhookFlags, shell: Shell, prompts: Prompts): Promise<void> {
  const { newWebhook } = await import('@keelson/generate/scaffold');
  const asker = new Asker(flags, shell, prompts);
  const { project, ...subject } = await subjectOf(asker, shell);
  const { defaulting: first = false, validation: second = false } = flags;
  const isSaid = first || second;
  const defaulting = isSaid ? first : await asker.yes('defaulting', 'Fill in what a request leaves open?');
  const validation = isSaid ? second : await asker.yes('validation', 'Refuse requests, or warn?');
  if (!defaulting && !validation) throw new UsageError('a webhook without any part does nothing', 'say one');
  await change(project, newWebhook({ ...subject, defaulting, validation }), shell);
}

/** The kind that flags or a person name, where it comes from, and the project that is added to. */
async function subjectOf(asker: Asker<ControllerFlags>, shell: Shell) {
  const { builtInModule, hasOwnKind, readProject } = await import('./project.ts');
  const { kindProblem } = await import('@keelson/generate/scaffold');
  const project = await readProject(shell.cwd);
  const kind = await asker.text('kind', { question: 'For which kind?', problem: kindProblem });
  const { group = '', version = 'v1' } = asker.flags;
  const module = hasOwnKind(project, kind) ? undefined : await builtInModule(group, version, kind);
  return { project, operator: project.operator, kind, module };
}

async function change(project: Project, added: ProjectChange, shell: Shell): Promise<void> {
  const { changeProject } = await import('./project.ts');
  shell.stopSignal(); // Ctrl-C comes before the first step from here on, or after the last
  for (const line of changeProject(project, added)) shell.out(`${line}\n`);
}
