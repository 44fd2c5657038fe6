/** The version of this package. */
import { readFileSync } from 'node:fs';

/** In the checkout package.json lies above `src`, in the published package beside this file. */
export function ownVersion(): string {
  for (const path of ['./package.json', '../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('The package.json of @keelson/cli is missing: install the package again.');
}
