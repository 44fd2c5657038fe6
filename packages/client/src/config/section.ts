/**
 * Reads fields of a parsed file, and knows where it is: a wrong field is reported with the file, the path and what was
 * expected. Values are never quoted, since any of them may be a secret.
 */
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

export class Section {
  readonly file: string;
  readonly path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(file: string, path: string, value: unknown) {
    this.file = file;
    this.path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ConfigError(
        { file, field: path },
        `expected an object, found ${typeNameOf(value)}${path === '' ? '; is this a kubeconfig?' : ''}`,
      );
    }
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  error(name: string, reason: string, options?: ErrorOptions): ConfigError {
    return new ConfigError({ file: this.file, field: this.#at(name) }, reason, options);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  raw(name: string): unknown {
    return this.#value(name);
  }

  /** An empty string counts as absent, as it does to kubectl. */
  string(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw this.error(name, `expected a string, found ${typeNameOf(value)}`);
    return value;
  }

  required(name: string): string {
    const value = this.string(name);
    if (value === undefined) throw this.error(name, 'is missing');
    return value;
  }

  /** An absolute path; a relative one starts at the folder of this file. */
  filePath(name: string): string | undefined {
    const value = this.string(name);
    return value === undefined ? undefined : resolve(dirname(this.file), value);
  }

  boolean(name: string): boolean {
    const value = this.#value(name) ?? false;
    if (typeof value !== 'boolean') throw this.error(name, `expected true or false, found ${typeNameOf(value)}`);
    return value;
  }

  base64(name: string): string | undefined {
    const text = this.string(name)?.replace(/\s/g, '');
    if (text === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw this.error(name, 'is not base64');
    return Buffer.from(text, 'base64').toString('utf8');
  }

  section(name: string): Section | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : new Section(this.file, this.#at(name), value);
  }

  strings(name: string): readonly string[] {
    return this.#list(name).map((value, index) => {
      if (typeof value === 'string') return value;
      throw this.error(`${name}[${index}]`, `expected a string, found ${typeNameOf(value)}`);
    });
  }

  stringLists(name: string): Readonly<Record<string, readonly string[]>> {
    const lists = this.section(name);
    return lists === undefined ? {} : Object.fromEntries(lists.#names().map((each) => [each, lists.strings(each)]));
  }

  sections(name: string): readonly Section[] {
    return this.#list(name).map((value, index) => new Section(this.file, `${this.#at(name)}[${index}]`, value));
  }

  /** A list whose items have a `name`, as kubeconfig writes its maps; items are then known by that name. */
  named(name: string): ReadonlyMap<string, Section> {
    const items = new Map<string, Section>();
    for (const item of this.sections(name)) {
      const itemName = item.required('name');
      const path = `${this.#at(name)}[${itemName}]`;
      if (items.has(itemName)) throw new ConfigError({ file: this.file, field: path }, 'is there twice');
      items.set(itemName, new Section(this.file, path, item.#fields));
    }
    return items;
  }

  #list(name: string): readonly unknown[] {
    const value = this.#value(name) ?? [];
    if (!Array.isArray(value)) throw this.error(name, `expected a list, found ${typeNameOf(value)}`);
    return value;
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  #names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  #at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

function typeNameOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
