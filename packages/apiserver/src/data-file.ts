/** Where this package's data files are: above the sources in the checkout, beside the code when published. */
import { existsSync } from 'node:fs';

/** The folder of package.json, which both layouts have at their top. */
const folder: URL = (() => {
  for (let at = new URL('./', import.meta.url); ; at = new URL('../', at)) {
    if (existsSync(new URL('package.json', at))) return at;
    if (at.pathname === '/') throw new Error('the package has no package.json');
  }
})();

export const dataFile = (path: string): URL => new URL(path, folder);
