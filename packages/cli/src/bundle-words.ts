/** Reads config/bundle.yaml: the words of a bundle, and the picture that they name. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type BundleIcon, type BundleWords, bundleWordsProblems, iconTypes } from '@keelson/generate/bundle';
import { parseDocument } from 'yaml';
import { hasCode } from './cluster-kubeconfig.ts';
import { CommandError } from './command-error.ts';

const path = 'config/bundle.yaml';

/** Anything that is not what it should be is told, with all that is missing at once. */
export async function readBundleWords(
  folder: string,
): Promise<{ readonly words: BundleWords; readonly icon: BundleIcon | undefined }> {
  const file = join(folder, path);
  const document = parseDocument(await textIn(file));
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new CommandError(`${file} is no YAML: ${mistake.message.split('\n')[0]}`, 'mend it');
  const value: unknown = document.toJS();
  const problems = bundleWordsProblems(value);
  if (problems.length > 0) {
    throw new CommandError(
      `${file} is not complete: ${problems.join(', ')}`,
      '"keelson bundle --help" shows one that is',
    );
  }
  const words = value as BundleWords;
  return { words, icon: words.icon === undefined ? undefined : await iconIn(folder, words.icon, file) };
}

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
    throw new CommandError(
      `there is no ${file}, which says what catalogues show of the operator`,
      'write it as "keelson bundle --help" shows',
    );
  }
}

async function iconIn(folder: string, icon: string, file: string): Promise<BundleIcon> {
  const mediaType = iconTypes[extname(icon).slice(1).toLowerCase()];
  if (mediaType === undefined) {
    throw new CommandError(
      `${file} names the icon ${icon}`,
      `take one that ends with .${Object.keys(iconTypes).join(', .')}`,
    );
  }
  try {
    return { base64: (await readFile(join(folder, icon))).toString('base64'), mediaType };
  } catch (error) {
    throw new CommandError(`${file} names the icon ${icon}, which cannot be read`, `name one below ${folder}`, {
      cause: error,
    });
  }
}
