/** The operator's settings as a ConfigMap that its users edit: each variable with its default, its meaning above it. */
import { type Setting, settingsOf } from '@keelson/core';
import type { GeneratedFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';
import { printYaml } from './yaml.ts';

/** The name of the ConfigMap. */
export const settingsName = ({ name }: Pick<Installation, 'name'>): string => `${name}-settings`;

/** One file, or none if there is nothing to set. */
export function settingsFile(installation: Installation): readonly GeneratedFile[] {
  const { operator, namespace } = installation;
  const settings = operator.settings ? settingsOf(operator.settings, operator.name) : [];
  if (settings.length === 0) return [];
  const head = printYaml({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: settingsName(installation), namespace, labels: labelsOf(installation) },
  });
  const entries = settings.flatMap((setting) => entryOf(setting, operator.given?.[setting.name] ?? setting.default));
  return [{ path: 'config/manager/settings.yaml', text: `${head}data:\n${entries.join('')}`, owner: 'user' }];
}

function entryOf({ variable, description, choices, isRequired }: Setting, value: unknown): readonly string[] {
  const notes = [
    ...(description === undefined ? [] : description.split('\n')),
    ...(choices === undefined ? [] : [`One of ${choices.join(', ')}.`]),
    ...(isRequired && value === undefined ? ['It is required: without it the operator does not start.'] : []),
  ];
  const entry = printYaml({ [variable]: value === undefined ? '' : String(value) }).trimEnd();
  // An empty text is a value, too: what has none stays out.
  const lines = value === undefined ? [`# ${entry}`] : entry.split('\n');
  return [...notes.map((note) => `# ${note}`), ...lines].map((line) => `  ${line}\n`);
}
