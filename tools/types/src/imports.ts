/** The type-only imports of one generated module, gathered while its text is printed. */
import { posix } from 'node:path';
import { list } from './layout.ts';

export class Imports {
  readonly #module: string;
  readonly #own: ReadonlySet<string>;
  readonly #files = new Map<string, string>();

  /** `own` are the names that the module itself declares. */
  constructor(module: string, own: Iterable<string>) {
    this.#module = module;
    this.#own = new Set(own);
  }

  /** Makes `name` of `module` known here; paths are relative to the output folder. Returns the name. */
  use(module: string, name: string): string {
    if (module === this.#module) return name;
    const known = this.#files.get(name) ?? module;
    if (known !== module || this.#own.has(name)) {
      throw new Error(`${this.#module}: ${name} would mean two things, one of them from ${module}`);
    }
    this.#files.set(name, module);
    return name;
  }

  print(): string {
    const modules = [...new Set(this.#files.values())].map((module) => [this.#pathTo(module), module] as const);
    return modules
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, module]) => {
        const names = [...this.#files.keys()].filter((name) => this.#files.get(name) === module).sort();
        return `${list('import type { ', names, ` } from '${path}';`)}\n`;
      })
      .join('');
  }

  #pathTo(module: string): string {
    const path = posix.relative(posix.dirname(this.#module), `${module}.ts`);
    return path.startsWith('.') ? path : `./${path}`;
  }
}
