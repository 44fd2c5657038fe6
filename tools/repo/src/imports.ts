/** The names under which a package is imported: its entries, and each file that a pattern of its `exports` stands for. */
import type { Manifest } from './workspace.ts';

/**
 * Such as `@keelson/core` and `@keelson/core/apps/v1`.
 *
 * @param files paths of the built package, such as `generated/apps/v1.js`
 */
export function importsOf(
  { name, exports }: Pick<Manifest, 'name' | 'exports'>,
  files: readonly string[],
): readonly string[] {
  return Object.entries(exports).flatMap(([path, source]) => {
    const entry = `${name}${path.slice(1)}`;
    if (!path.includes('*')) return [entry];
    const [before = '', after = ''] = source
      .replace(/^\.\/src\//, '')
      .replace(/\.ts$/, '.js')
      .split('*');
    return files
      .filter((file) => file.startsWith(before) && file.endsWith(after))
      .map((file) => entry.replace('*', file.slice(before.length, -after.length)))
      .sort();
  });
}
