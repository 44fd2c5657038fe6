/** A bundle before it is files: an installation with the words of its project, checked and complete. */
import { isObject, type Operator } from '@keelson/core';
import { labelValueProblems, subdomainProblems } from '@keelson/schema/validation';
import { type GenerateOptions, type Installation, installationOf } from '../installation.ts';
import { isNewer, semanticVersion, versionRange } from './vocabulary.ts';
import type { BundleWords } from './words.ts';

/** A picture as a ClusterServiceVersion holds it. */
export interface BundleIcon {
  readonly base64: string;
  readonly mediaType: string;
}

/** What goes into a bundle beside the operator's declarations. */
export interface BundleOptions extends GenerateOptions {
  readonly words: BundleWords;
  readonly icon?: BundleIcon | undefined;
  /** Objects of the operator's kinds, which a console offers to begin with; others among them are left out. */
  readonly samples?: readonly unknown[] | undefined;
  /** @default those of the words, else `stable` */
  readonly channels?: readonly string[] | undefined;
  /** @default that of the words, else the first of the channels */
  readonly defaultChannel?: string | undefined;
  /** The version before, such as `1.0.0`, or the name of its ClusterServiceVersion. @default that of the words */
  readonly replaces?: string | undefined;
}

/** Options and declarations, complete. */
export interface Bundle {
  readonly installation: Installation;
  readonly words: BundleWords;
  readonly icon: BundleIcon | undefined;
  readonly version: string;
  /** That of the ClusterServiceVersion. */
  readonly name: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  /** Names of other ClusterServiceVersions. */
  readonly replaces: string | undefined;
  readonly skips: readonly string[];
  readonly examples: readonly unknown[];
}

/** Fills in what was not chosen. What cannot be is a RangeError. */
export function bundleOf(operator: Operator, options: BundleOptions): Bundle {
  const { words, icon, channels = words.channels ?? ['stable'], samples = [] } = options;
  // Whoever makes the OperatorGroup chooses the namespaces.
  const installation = installationOf(operator, { ...options, namespaces: undefined });
  const { version } = installation;
  // OLM takes 0.0.0 for a version that was not set.
  if (version === undefined || version === '0.0.0' || !semanticVersion.test(version)) {
    throw new RangeError(
      `${operator.name}: the version of a bundle is 0.0.1 or more, not "${version ?? ''}"; give one such as 1.0.0 by --version, or in config/bundle.yaml`,
    );
  }
  const defaultChannel = options.defaultChannel ?? words.defaultChannel ?? channels[0] ?? '';
  if (!channels.includes(defaultChannel)) {
    throw new RangeError(
      `${operator.name}: the default channel "${defaultChannel}" is none of its channels (${channels.join(', ')}); take one of these, or add it to them`,
    );
  }
  const misnamed = channels.find((channel) => labelValueProblems(channel).length > 0 || channel === '');
  if (misnamed !== undefined) {
    throw new RangeError(
      `${operator.name}: "${misnamed}" is no name of a channel; take letters, digits, "-", "_" and ".", such as stable-v1`,
    );
  }
  const name = versionName(operator, version);
  const given = options.replaces ?? words.replaces;
  const replaces = given === undefined ? undefined : nameOf(operator, given);
  const skips = (words.skips ?? []).map((each) => nameOf(operator, each));
  for (const each of [name, ...(replaces === undefined ? [] : [replaces]), ...skips]) {
    if (subdomainProblems(each).length + labelValueProblems(each).length > 0) {
      throw new RangeError(
        `${operator.name}: "${each}" is no name of a ClusterServiceVersion; give a version such as 1.0.0, or a name of lower-case letters, digits, "-" and ".", at most 63`,
      );
    }
  }
  if (replaces === name || skips.includes(name)) {
    throw new RangeError(`${operator.name}: "${version}" cannot replace itself; name the version before it`);
  }
  const before = replaces?.startsWith(`${operator.name}.v`) ? replaces.slice(operator.name.length + 2) : '';
  if (semanticVersion.test(before) && !isNewer(version, before)) {
    throw new RangeError(
      `${operator.name}: "${version}" is not newer than "${before}", which it replaces; OLM only goes forward: take a higher version, or replace an older one`,
    );
  }
  if (words.skipRange !== undefined && !versionRange.test(words.skipRange)) {
    throw new RangeError(
      `${operator.name}: skipRange is "${words.skipRange}"; write versions with what they are compared by: ">=1.0.0 <${version}"`,
    );
  }
  const examples = samples.filter((sample) => isExample(sample, installation));
  return { installation, words, icon, version, name, channels, defaultChannel, replaces, skips, examples };
}

/** `memcached-operator.v1.0.0`; names take no capitals and no `+`. */
const versionName = ({ name }: Pick<Operator, 'name'>, version: string): string =>
  `${name}.v${version.toLowerCase().replaceAll('+', '-')}`;

/** The name that is meant by a version or a name. */
const nameOf = (operator: Pick<Operator, 'name'>, given: string): string =>
  semanticVersion.test(given) ? versionName(operator, given) : given;

function isExample(sample: unknown, { definitions }: Installation): boolean {
  if (!isObject(sample)) return false;
  return definitions.some(
    ({ kind, crd }) =>
      sample.kind === kind.kind &&
      crd.spec.versions.some(({ name, served }) => served && sample.apiVersion === `${kind.group}/${name}`),
  );
}
