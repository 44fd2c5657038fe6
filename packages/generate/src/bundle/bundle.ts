/** A bundle before it is files: an installation with the words of its project, checked and complete. */
import { isObject, type Operator } from '@keelson/core';
import { labelValueProblems, subdomainProblems } from '@keelson/schema/validation';
import { type GenerateOptions, type Installation, installationOf } from '../installation.ts';
import { semanticVersion } from './vocabulary.ts';
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
  readonly replaces: string | undefined;
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
    throw new RangeError(`${operator.name}: the version of a bundle is 0.0.1 or more, not "${version ?? ''}"`);
  }
  const defaultChannel = options.defaultChannel ?? words.defaultChannel ?? channels[0] ?? '';
  if (!channels.includes(defaultChannel)) {
    throw new RangeError(
      `${operator.name}: the default channel "${defaultChannel}" is none of its channels (${channels.join(', ')})`,
    );
  }
  const misnamed = channels.find((channel) => labelValueProblems(channel).length > 0 || channel === '');
  if (misnamed !== undefined) throw new RangeError(`${operator.name}: "${misnamed}" is no name of a channel`);
  const given = options.replaces ?? words.replaces;
  const name = versionName(operator, version);
  const replaces = given === undefined || !semanticVersion.test(given) ? given : versionName(operator, given);
  for (const each of [name, ...(replaces === undefined ? [] : [replaces])]) {
    if (subdomainProblems(each).length + labelValueProblems(each).length > 0) {
      throw new RangeError(
        `${operator.name}: "${each}" is no name of a ClusterServiceVersion: lower-case letters, digits, "-" and ".", at most 63`,
      );
    }
  }
  if (replaces === name) throw new RangeError(`${operator.name}: "${name}" cannot replace itself`);
  const examples = samples.filter((sample) => isExample(sample, installation));
  return { installation, words, icon, version, name, channels, defaultChannel, replaces, examples };
}

/** `memcached-operator.v1.0.0`; names take no capitals and no `+`. */
const versionName = ({ name }: Pick<Operator, 'name'>, version: string): string =>
  `${name}.v${version.toLowerCase().replaceAll('+', '-')}`;

function isExample(sample: unknown, { definitions }: Installation): boolean {
  if (!isObject(sample)) return false;
  return definitions.some(
    ({ kind, crd }) =>
      sample.kind === kind.kind &&
      crd.spec.versions.some(({ name, served }) => served && sample.apiVersion === `${kind.group}/${name}`),
  );
}
