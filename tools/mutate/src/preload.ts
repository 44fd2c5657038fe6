/**
 * Loaded before anything else, into the process that runs the tests and, by NODE_OPTIONS, into those that they start: the
 * sources below KEELSON_MUTATED are loaded with the switches of their mutants, of which KEELSON_MUTANT names the active
 * one. No file is written but KEELSON_REACHED, to which each of those processes adds the mutants that it came to.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mutantsOf } from './mutants.ts';
import { switched } from './switched.ts';

interface Switches {
  active: string | undefined;
  /** Called for each mutant that is come to, if anyone wants to know. */
  onReached: ((id: string) => void) | undefined;
}

/** What the sources ask. */
export const switches: Switches = { active: env.KEELSON_MUTANT, onReached: undefined };

Object.assign(globalThis, {
  $mutant(id: string): boolean {
    switches.onReached?.(id);
    return switches.active === id;
  },
});

const isWorker = env.KEELSON_TESTS !== undefined;
delete env.KEELSON_TESTS; // the processes that the tests start are not
const { KEELSON_REACHED: reachedFile } = env;
if (!isWorker && reachedFile !== undefined) {
  const known = new Set<string>();
  switches.onReached = (id) => {
    if (known.has(id)) return;
    known.add(id);
    appendFileSync(reachedFile, `${id}\n`);
  };
}

const folder = env.KEELSON_MUTATED ?? '';
const nodeTest = new URL('./node-test.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = isWorker && specifier === 'node:test' && context.parentURL !== nodeTest;
    return isOurs ? { url: nodeTest, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(`${pathToFileURL(folder).href}/`) || url.endsWith('.test.ts')) return next(url, context);
    const path = fileURLToPath(url);
    const text = readFileSync(path, 'utf8');
    const source = switched(text, mutantsOf(text), `${relative(folder, path)}#`);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
