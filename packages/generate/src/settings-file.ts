/** The operator's settings as a ConfigMap that its users edit: each variable with its default, its meaning above it. */
import { type Setting, settingsOf } from '@keelson/core';
import type { NewConfigMap } from '@keelson/core/v1';
import type { GeneratedFile } from './generated-file.ts';
import { type Installation, labelsOf } from './installation.ts';
import { commentLines, printYaml } from './yaml.ts';

/** The name of the ConfigMap. */
export const settingsName = ({ name }: Pick<Installation, 'name'>): string => `${name}-settings`;

/** What there is to set; where that is nothing, there is no ConfigMap. */
export const settingsIn = ({ operator }: Installation): readonly Setting[] =>
  operator.settings ? settingsOf(operator.settings, operator.name) : [];

const path = 'config/manager/settings.yaml';

/** One file, or none. The kustomization beside it says the namespace, which may change after the file is the user's. */
export function settingsFile(installation: Installation): readonly GeneratedFile[] {
  if (settingsIn(installation).length === 0) return [];
  return [{ path, text: settingsText(installation), owner: 'user' }];
}

/** The file as it is installed where no kustomization says the namespace; any other as it is. */
export function inNamespace(file: GeneratedFile, installation: Installation): GeneratedFile {
  return file.path === path ? { ...file, text: settingsText(installation, installation.namespace) } : file;
}

/** The ConfigMap without a word about its entries; none where there is nothing to set. */
export function settingsMap(installation: Installation): NewConfigMap | undefined {
  const settings = settingsIn(installation);
  if (settings.length === 0) return undefined;
  const entries = settings.map((setting) => [setting.variable, chosenFor(setting, installation)] as const);
  const filled = entries.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  return { ...headOf(installation), data: Object.fromEntries(filled) as Readonly<Record<string, string>> };
}

const chosenFor = (setting: Setting, { operator }: Installation): unknown =>
  operator.given?.[setting.name] ?? setting.default;

function headOf(installation: Installation, namespace?: string): NewConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: settingsName(installation), namespace, labels: labelsOf(installation) },
  };
}

function settingsText(installation: Installation, namespace?: string): string {
  const entries = settingsIn(installation).flatMap((setting) => entryOf(setting, chosenFor(setting, installation)));
  return `${printYaml(headOf(installation, namespace))}data:\n${entries.join('')}`;
}

function entryOf({ variable, description, choices, isRequired }: Setting, value: unknown): readonly string[] {
  const notes = [
    ...(description === undefined ? [] : [description]),
    ...(choices === undefined ? [] : [`One of ${choices.join(', ')}.`]),
    ...(isRequired && value === undefined ? ['It is required: without it the operator does not start.'] : []),
  ];
  const entry = printYaml({ [variable]: value === undefined ? '' : String(value) }).trimEnd();
  // An empty text is a value, too: what has none stays out.
  const lines = value === undefined ? [`# ${entry}`] : entry.split('\n');
  return [...notes.flatMap(commentLines), ...lines].map((line) => `  ${line}\n`);
}
