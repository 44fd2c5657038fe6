/** What is installed where: an operator's declarations together with what those who install it choose. */
import {
  conversionClientConfig,
  type Operator,
  type OperatorProcess,
  operatorProcess,
  webhookNames,
} from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { crdOf, type DefinedKind } from '@keelson/schema';
import { label1035Problems, labelProblems, labelValueProblems } from '@keelson/schema/validation';

/** What a chart says of the operator; package.json has it. */
export interface ChartWords {
  readonly description?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly home?: string | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly maintainers?: readonly ChartMaintainer[] | undefined;
}

/** Who looks after a chart. */
export interface ChartMaintainer {
  readonly name: string;
  readonly email?: string | undefined;
  readonly url?: string | undefined;
}

/** What those who install an operator choose; package.json has it in its field `keelson`. */
export interface GenerateOptions {
  /** The operator's image. @default its name, with its version as the tag */
  readonly image?: string | undefined;
  /** The namespace of its pods. @default its name with `-system` */
  readonly namespace?: string | undefined;
  /** Its version. @default what the operator declares */
  readonly version?: string | undefined;
  /** The namespaces that it watches, in each of which it gets a Role. @default all, by a ClusterRole */
  readonly namespaces?: readonly string[] | undefined;
  /** The kinds whose definitions it brings. @default those of its controllers and webhooks that `defineKind` made */
  readonly kinds?: readonly DefinedKind[] | undefined;
  /** Whether a Helm chart is made, and what it says of the operator. @default false */
  readonly chart?: ChartWords | boolean | undefined;
}

/** A kind of the operator's own, and what is applied for it. */
export interface Definition {
  readonly kind: DefinedKind;
  readonly crd: NewCustomResourceDefinition;
}

/** Options and declarations, complete. */
export interface Installation {
  readonly operator: Operator;
  readonly process: OperatorProcess;
  readonly definitions: readonly Definition[];
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly version: string | undefined;
  readonly namespaces: readonly string[] | undefined;
}

/** Fills in what was not chosen. What cannot be installed is a RangeError. */
export function installationOf(operator: Operator, options: GenerateOptions): Installation {
  const { name } = operator;
  const { version = operator.version, namespace = `${name}-system`, namespaces } = options;
  const process = operatorProcess(operator);
  for (const each of [namespace, ...(namespaces ?? [])]) {
    if (labelProblems(each).length > 0) {
      throw new RangeError(
        `${name}: "${each}" is no name of a namespace: lower-case letters, digits and dashes, at most 63`,
      );
    }
  }
  if (namespaces?.length === 0)
    throw new RangeError(`${name}: namespaces must not be empty; leave it out to watch all`);
  if (namespaces !== undefined && process.namespacesVariable === undefined) {
    throw new RangeError(`${name}: it always watches all namespaces; leave "namespaces" out`);
  }
  const services = [
    ...(process.metrics ? [metricsName({ name })] : []),
    ...(process.webhooks ? [webhookNames({ name }).service] : []),
  ];
  for (const service of services.filter((each) => label1035Problems(each).length > 0)) {
    throw new RangeError(
      `${name}: "${service}" is no name of a Service: a lower-case letter, then lower-case letters, digits and dashes, at most 63; choose another name for the operator`,
    );
  }
  if (version !== undefined && labelValueProblems(tagOf(version)).length > 0) {
    throw new RangeError(
      `${name}: the version "${version}" becomes a label: letters, digits, ".", "-" and "+", at most 63`,
    );
  }
  const image = options.image ?? `${name}:${tagOf(version ?? 'latest')}`;
  if (!/^\w[\w.:/@-]*$/.test(image)) {
    throw new RangeError(`${name}: "${image}" is no image: a name such as registry.example.com/${name}:1.0.0`);
  }
  const definitions = (options.kinds ?? definedKinds(operator)).map((kind) => ({
    kind,
    crd: crdOf(kind, { conversion: conversionClientConfig(operator, { namespace }) }),
  }));
  return { operator, process, definitions, name, namespace, image, version, namespaces };
}

function definedKinds({ controllers, webhooks = [] }: Operator): readonly DefinedKind[] {
  const kinds = new Set([...controllers, ...webhooks].map((each) => each.for));
  return [...kinds].filter((kind): kind is DefinedKind => 'definition' in kind);
}

/** A version as labels and the tags of images take it: a build comes after `_`, since `+` is refused in both. */
export const tagOf = (version: string): string => version.replaceAll('+', '_');

/** The name of the Service of its metrics. */
export const metricsName = ({ name }: Pick<Installation, 'name'>): string => `${name}-metrics`;

/** What says of an object whose it is. */
export const labelsOf = ({ name }: Pick<Installation, 'name'>): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': name,
});

/**
 * What selects the operator's own pods. The name alone would not do: the pods that it makes for its users may have
 * the same.
 */
export const managerLabelsOf = (installation: Pick<Installation, 'name'>): Readonly<Record<string, string>> => ({
  ...labelsOf(installation),
  'app.kubernetes.io/component': 'manager',
});
