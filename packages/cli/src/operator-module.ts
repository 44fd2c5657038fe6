/**
 * Finds the operator that a command is about, and loads it.
 *
 * The nearest package.json says where it is: `"keelson": { "operator": "./src/operator.ts" }`. The module exports one
 * operator, as `operator({ … })` of core makes it: an engine's, or the declarations of one that is written on the client
 * alone. Whatever is wrong with that is a `CommandError` that says what to do.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject, type JsonObject, type Operator } from '@keelson/core';
import type { DefinedKind } from '@keelson/schema';
import { CommandError } from './command-error.ts';

export interface OperatorModule {
  readonly operator: Operator;
  /** The kinds that are defined here: those that its controllers reconcile, and others that the module exports. */
  readonly kinds: readonly DefinedKind[];
  /** Where it was found. */
  readonly place: ModulePlace;
}

/** Where an operator is, and what belongs to it. */
export interface ModulePlace {
  /** The module. */
  readonly file: string;
  /** Where its files are: the folder of package.json, or, without one, of the module. */
  readonly folder: string;
  /** The one program of the package, which runs an operator that is written on the client alone. */
  readonly main: string | undefined;
}

export interface OperatorChoice {
  /** Where the search begins. */
  readonly cwd: string;
  /** The file, instead of what package.json says. */
  readonly operator?: string | undefined;
  /** Whether Node runs TypeScript. @default what this one says */
  readonly runsTypeScript?: boolean | undefined;
}

const field = '"keelson": { "operator": "./src/operator.ts" }';
const orFlag = 'or name its file with --operator <file>';

/** Where the operator is, by package.json and flags alone. */
export async function findOperator({ cwd, operator }: OperatorChoice): Promise<ModulePlace> {
  const named = operator === undefined ? undefined : resolve(cwd, operator);
  const manifest = nearestManifest(named === undefined ? resolve(cwd) : dirname(named));
  const folder = manifest === undefined ? dirname(named ?? cwd) : dirname(manifest);
  const content = manifest === undefined ? {} : await read(manifest);
  const main = programIn(content);
  const place = (file: string) => ({ file, folder, main: main === undefined ? undefined : resolve(folder, main) });
  if (named !== undefined) {
    if (!existsSync(named))
      throw new CommandError(`there is no file ${named}`, 'name the one that exports the operator');
    return place(named);
  }
  if (manifest === undefined) {
    throw new CommandError(`no package.json is in ${cwd} or above it`, `go to the operator's folder, ${orFlag}`);
  }
  const { operator: path } = isObject(content.keelson) ? content.keelson : {};
  if (typeof path !== 'string') {
    throw new CommandError(`${manifest} does not say where the operator is`, `add ${field} to it, ${orFlag}`);
  }
  const file = resolve(folder, path);
  if (existsSync(file)) return place(file);
  throw new CommandError(`${manifest} names the operator ${path}, and there is no such file`, `mend it, ${orFlag}`);
}

/** Finds the operator and imports it; its module must have no side effects. */
export async function loadOperator(choice: OperatorChoice): Promise<OperatorModule> {
  const place = await findOperator(choice);
  const { file } = place;
  const { runsTypeScript = process.features.typescript !== false } = choice;
  if (/\.[mc]?tsx?$/.test(file) && !runsTypeScript) {
    const next = 'take Node 22.18 or newer, or name the compiled file with --operator <file>';
    throw new CommandError(`${file} is TypeScript, which Node ${process.version} does not run`, next);
  }
  const exported = await imported(place);
  const found = Object.entries(exported).filter((entry): entry is [string, Operator] => isOperator(entry[1]));
  // The same value may be exported twice, such as by name and as the default.
  const operators = [...new Map(found.map(([name, value]) => [value, name]))];
  const [first, second] = operators;
  if (first === undefined) {
    const names = Object.keys(exported);
    throw new CommandError(
      `${file} exports no operator (${names.length === 0 ? 'nothing at all' : names.join(', ')})`,
      "export const myOperator = operator({ name: 'my-operator', controllers: [ … ] })",
    );
  }
  if (second !== undefined) {
    const names = operators.map(([, name]) => name).join(' and ');
    throw new CommandError(`${file} exports several operators, ${names}`, `export one of them alone, ${orFlag}`);
  }
  const [operator] = first;
  const { controllers, webhooks = [] } = operator;
  const declared = [...controllers, ...webhooks].map((each) => each.for);
  const kinds = [...declared, ...Object.values(exported)].filter(isDefinedKind);
  return { operator, kinds: [...new Set(kinds)], place };
}

function nearestManifest(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

async function read(manifest: string): Promise<JsonObject> {
  try {
    const content: unknown = JSON.parse(await readFile(manifest, 'utf8'));
    if (isObject(content)) return content;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${manifest} cannot be read: ${reason}`, 'mend it', { cause: error });
  }
  throw new CommandError(`${manifest} is no JSON object`, 'mend it');
}

/** `keelson.main`, or the one program of `bin`. */
function programIn({ keelson, bin }: JsonObject): string | undefined {
  const { main } = isObject(keelson) ? keelson : {};
  if (typeof main === 'string') return main;
  const programs = isObject(bin) ? Object.values(bin) : [bin];
  const [program] = programs;
  return programs.length === 1 && typeof program === 'string' ? program : undefined;
}

async function imported({ file, folder }: ModulePlace): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new CommandError(`${file} cannot be loaded: ${describe(error, folder)}`, undefined, { cause: error });
  }
}

/** The error with its place: the first line of its stack that is neither Node's nor a dependency's. */
function describe(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? '').split('\n');
  // Of a syntax error, the place comes first: file:///…/operator.ts:3
  const [place] = [lines[0] ?? '', ...lines.filter((line) => /^\s+at /.test(line))].filter(
    (line) => line.includes('file://') && !line.includes('/node_modules/'),
  );
  const [, path, line] = /file:\/\/([^\s)]+?):(\d+)/.exec(place ?? '') ?? [];
  const where = path === undefined ? '' : `\n    at ${named(decodeURIComponent(path), folder)}:${line}`;
  return `${error.name}: ${error.message}${where}`;
}

/** As seen from the folder of the package, unless that is far away. */
function named(path: string, folder: string): string {
  const near = relative(folder, path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

/** By its shape: it may come from another copy of core. */
function isOperator(value: unknown): value is Operator {
  if (!isObject(value)) return false;
  const { name, controllers, webhooks = [] } = value;
  const isList = Array.isArray(controllers) && Array.isArray(webhooks);
  return typeof name === 'string' && isList && [...controllers, ...webhooks].some(isDeclaration);
}

const isDeclaration = (value: unknown) => isObject(value) && isObject(value.for) && typeof value.for.kind === 'string';

function isDefinedKind(value: unknown): value is DefinedKind {
  return isObject(value) && typeof value.resource === 'string' && isObject(value.definition);
}
