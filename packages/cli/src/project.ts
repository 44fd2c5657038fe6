/** A project as `keelson init` makes it: what is read of it, and what is added to it. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import { kindPath, operatorIn, type ProjectChange, type ScaffoldFile, withAddition } from '@keelson/generate/scaffold';
import { CommandError } from './command-error.ts';
import { findOperator } from './operator-module.ts';
import { leftIn, placeFiles } from './place-files.ts';

const operatorPath = 'src/operator.ts';

export interface Project {
  readonly folder: string;
  /** The text of `src/operator.ts` when it was read. */
  readonly text: string;
  /** The variable that it exports. */
  readonly operator: string;
  readonly domain: string;
}

export async function readProject(cwd: string): Promise<Project> {
  const { file, folder } = await findOperator({ cwd });
  if (file !== join(folder, operatorPath)) {
    throw new CommandError(
      `the operator is in ${file}, and only one in ${operatorPath} can be added to`,
      'write the kind and its controller by hand, or make a project with "keelson init"',
    );
  }
  const text = await readFile(file, 'utf8');
  const operator = operatorIn(text);
  if (operator === undefined) {
    const next = 'export it there by a line "export const myOperator = operator({"';
    throw new CommandError(`the operator is not to be found in ${file}`, next);
  }
  const { keelson } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  const { domain } = isObject(keelson) ? keelson : {};
  return { folder, text, operator, domain: typeof domain === 'string' ? domain : 'example.com' };
}

export function hasOwnKind({ folder }: Project, kind: string): boolean {
  return existsSync(join(folder, kindPath(kind)));
}

/** The module of `@keelson/core` that has a kind of Kubernetes. */
export async function builtInModule(group: string, version: string, kind: string): Promise<string> {
  const isLegacy = group === '' || group === 'core';
  const module = `@keelson/core/${isLegacy ? version : `${group.split('.')[0]}/${version}`}`;
  const { [kind]: found } = await exportsOf(module);
  const isKept = isObject(found) && typeof found.resource === 'string';
  if (isKept && (isLegacy || found.group === group)) return module;
  const name = `${isLegacy ? '' : `${group}/`}${version} ${kind}`;
  throw new CommandError(
    `neither this project nor Kubernetes has a kind ${name}`,
    'make one with "keelson create api", or say --group and --version of one of Kubernetes',
  );
}

async function exportsOf(module: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(module)) as Readonly<Record<string, unknown>>;
  } catch {
    return {}; // there is no such group or version
  }
}

/** Writes it all, or nothing, or what an interrupted call has not written yet; tells what is there now. */
export function changeProject(project: Project, { files, addition }: ProjectChange): readonly string[] {
  const { folder, text } = project;
  if (readFileSync(join(folder, operatorPath), 'utf8') !== text) {
    throw new CommandError(`${operatorPath} was changed by somebody else meanwhile`, 'nothing was written; call again');
  }
  placeFiles(folder, files, operatorWith(project, addition));
  return [...files.map(({ path }) => `Made ${path}`), `Changed ${operatorPath}`];
}

/** A kind that exists is no new one, unless it is what an interrupted call has left. */
export function refuseOwnKind(project: Project, kind: string, { files, addition }: ProjectChange): void {
  const path = kindPath(kind);
  const left = () => leftIn(project.folder, files, operatorWith(project, addition));
  if (!hasOwnKind(project, kind) || left().some((file) => file.path === path)) return;
  throw new CommandError(
    `the kind ${kind} exists already, in ${path}`,
    `a further version goes into its "versions", a controller comes from "keelson create controller --kind ${kind}"; ` +
      'what an interrupted call has left is finished by the same call, with the same flags',
  );
}

function operatorWith({ text }: Project, addition: ProjectChange['addition']): ScaffoldFile {
  const next = withAddition(text, addition);
  if (next !== undefined) return { path: operatorPath, text: next };
  const { line, entry, list = 'controllers' } = addition;
  const byHand = entry === undefined ? line : `${line} and ${entry} in the list`;
  throw new CommandError(
    `${operatorPath} has no list "${list}: [ … ]" of names below its imports, so nothing was written`,
    `add this by hand and call again: ${byHand}`,
  );
}
