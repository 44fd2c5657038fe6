/** The questions about a new kind, which `init` and `create api` have in common. */
import type { KindNames } from '@keelson/generate/scaffold';
import type { Command } from 'commander';
import type { Asker } from './ask.ts';

export interface NewKindFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly image?: string;
}

export function kindFlags(command: Command, kindText: string): Command {
  return command
    .option('--group <group>', 'its group, before the domain, or with a dot all of it; without it, the domain alone')
    .option('--version <version>', 'its version; without it, v1alpha1')
    .option('--kind <kind>', kindText)
    .option('--plural <plural>', 'its plural; without it, that of the kind in lower case: policies for Policy')
    .option('--image <image>', 'the image in its sample; without it, one that does nothing');
}

/** The kind, and the image in its sample. */
export async function kindBy(
  asker: Asker<NewKindFlags>,
  { domain, kind: otherwise }: { readonly domain: string; readonly kind?: string },
): Promise<{ readonly kind: KindNames; readonly image: string }> {
  const scaffold = await import('@keelson/generate/scaffold');
  const { groupProblem, ownKindProblem, pluralProblem, versionProblem } = scaffold;
  const kind = await asker.text('kind', { question: 'What is the kind called?', problem: ownKindProblem, otherwise });
  const group = await asker.text('group', {
    question: `In which group is it? (before .${domain}; empty: ${domain} alone)`,
    problem: groupProblem,
    otherwise: '',
  });
  const version = await asker.text('version', {
    question: 'In which version?',
    problem: versionProblem,
    otherwise: 'v1alpha1',
  });
  const { plural, image = scaffold.defaultImage } = asker.flags;
  if (plural !== undefined) await asker.text('plural', { question: '', problem: pluralProblem });
  return { kind: { group: scaffold.groupOf(group, domain), version, kind, plural }, image };
}
