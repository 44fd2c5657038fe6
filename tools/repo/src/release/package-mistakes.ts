/** What is wrong with a package as it would be published: its licence, its provenance, its files and what it depends on. */

/** What `npm pack --json` and package.json say of it. */
export interface PackedPackage {
  readonly manifest: {
    readonly name: string;
    readonly version?: string | undefined;
    readonly license?: string | undefined;
    readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean } | undefined;
    readonly dependencies?: Readonly<Record<string, string>> | undefined;
  };
  /** Paths in the archive. */
  readonly files: readonly string[];
}

/** A package of somebody else that comes along. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

/** Licences whose terms a package under Apache-2.0 keeps by naming them. */
const allowed = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);

/** Sentences, each about one package. */
export function packageMistakes({ manifest, files }: PackedPackage, version: string): readonly string[] {
  const { name, license, publishConfig = {}, dependencies = {} } = manifest;
  const missing = ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'package.json'].filter(
    (each) => !files.includes(each),
  );
  const surplus = files.filter((each) => /(^|\/)test\/|\.test\.|(?<!\.d)\.ts$|tsbuildinfo$/.test(each));
  const loose = Object.entries(dependencies).filter(
    ([each, range]) => each.startsWith('@keelson/') && range !== version,
  );
  return [
    ...(manifest.version === version ? [] : [`has the version ${manifest.version}, and ${version} is released`]),
    ...(license === 'Apache-2.0' ? [] : [`has the licence ${license}`]),
    ...(publishConfig.provenance === true ? [] : ['would be published without provenance']),
    ...(publishConfig.access === 'public' ? [] : ['would not be public']),
    ...missing.map((each) => `has no ${each}`),
    ...surplus.map((each) => `has ${each}, which nobody needs`),
    ...loose.map(([each, range]) => `wants ${each} ${range}, and not just ${version}`),
  ].map((mistake) => `${name} ${mistake}`);
}

/** Those whose licence is not among the allowed ones. */
export function licenceMistakes(dependencies: readonly Dependency[]): readonly string[] {
  return dependencies
    .filter(
      ({ license = '' }) =>
        !license
          .replaceAll(/[()]/g, '')
          .split(' OR ')
          .some((each) => allowed.has(each)),
    )
    .map(({ name, version, license }) => `${name} ${version} has the licence ${license ?? 'of nobody'}`);
}
