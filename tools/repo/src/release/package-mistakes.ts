/** What is wrong with a package as it would be published: its licence, its provenance, its files and what it depends on. */

/** What `npm pack --json` and package.json say of it. */
export interface PackedPackage {
  readonly manifest: {
    readonly name: string;
    readonly version?: string | undefined;
    readonly license?: string | undefined;
    readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean } | undefined;
    readonly repository?: { readonly url?: string | undefined } | undefined;
    readonly dependencies?: Readonly<Record<string, string>> | undefined;
    readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
    readonly peerDependencies?: Readonly<Record<string, string>> | undefined;
  };
  /** Paths in the archive. */
  readonly files: readonly string[];
}

/** A package of somebody else that comes along. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** An expression; older packages have an object here, or nothing. */
  readonly license?: unknown;
}

/** Licences whose terms a package under Apache-2.0 keeps by naming them. */
const allowed = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);

/** What all packages of a release have in common. */
export interface ReleasedTogether {
  readonly version: string;
  /** The names of all of them. */
  readonly names: readonly string[];
  /** The URL of the repository that provenance names; absent where nobody gave it. */
  readonly repository?: string | undefined;
}

/** Sentences, each about one package. */
export function packageMistakes({ manifest, files }: PackedPackage, released: ReleasedTogether): readonly string[] {
  const { name, license, publishConfig = {}, repository } = manifest;
  const { version } = released;
  const missing = ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'package.json'].filter(
    (each) => !files.includes(each),
  );
  const surplus = files.filter((each) => /(^|\/)test\/|\.test\.|(?<!\.d)\.ts$|tsbuildinfo$/.test(each));
  return [
    ...(manifest.version === version ? [] : [`has the version ${manifest.version}, and ${version} is released`]),
    ...(license === 'Apache-2.0' ? [] : [license ? `has the licence ${license}` : 'names no licence']),
    ...(publishConfig.provenance === true ? [] : ['would be published without provenance']),
    ...(publishConfig.access === 'public' ? [] : ['would not be public']),
    ...(repository?.url === released.repository ? [] : [`has the repository ${repository?.url}`]),
    ...missing.map((each) => `has no ${each}`),
    ...surplus.map((each) => `has ${each}, which nobody needs`),
    ...dependencyMistakes(manifest, released),
  ].map((mistake) => `${name} ${mistake}`);
}

function dependencyMistakes(
  { dependencies, optionalDependencies, peerDependencies }: PackedPackage['manifest'],
  { version, names }: ReleasedTogether,
): readonly string[] {
  const all = [dependencies, optionalDependencies, peerDependencies].flatMap((each) => Object.entries(each ?? {}));
  return all.flatMap(([name, range]) => {
    if (names.includes(name)) return range === version ? [] : [`wants ${name} ${range}, and not just ${version}`];
    if (name.startsWith('@keelson/')) return [`needs ${name}, which is not published`];
    return /^[~^]?\d[\w.+-]*$/.test(range) ? [] : [`wants ${name} "${range}", which is no version of a registry`];
  });
}

/** npm compares the repository of a package with the one that its build ran in, and takes no provenance without it. */
export function repositoryMistakes(url: string | undefined): readonly string[] {
  if (url === undefined) {
    return [
      'provenance needs repository.url, which no package.json of this checkout has: name the public repository that the release is built in with --repository URL',
    ];
  }
  return /^(git\+)?https:\/\/[^/\s]+\/\S+$/.test(url)
    ? []
    : [`"${url}" is no URL of a public repository: https://HOST/OWNER/NAME`];
}

/** Those whose licence is not among the allowed ones. */
export function licenceMistakes(dependencies: readonly Dependency[]): readonly string[] {
  return dependencies.flatMap(({ name, version, license }) => {
    if (typeof license !== 'string') return [`${name} ${version} names no licence as npm asks for it`];
    const choices = license.replaceAll(/[()]/g, '').split(' OR ');
    return choices.some((each) => allowed.has(each)) ? [] : [`${name} ${version} has the licence ${license}`];
  });
}
