/** What is installed where: an operator's declarations together with what those who install it choose. */
import { type Operator, type OperatorProcess, operatorProcess } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { crdOf, type DefinedKind } from '@keelson/schema';
import { labelProblems } from '@keelson/schema/validation';

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
  /** The kinds whose definitions it brings. @default those that its controllers reconcile and that `defineKind` made */
  readonly kinds?: readonly DefinedKind[] | undefined;
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
  const image = options.image ?? `${name}:${version ?? 'latest'}`;
  const definitions = (options.kinds ?? reconciledKinds(operator)).map((kind) => ({ kind, crd: crdOf(kind) }));
  return { operator, process, definitions, name, namespace, image, version, namespaces };
}

function reconciledKinds({ controllers }: Operator): readonly DefinedKind[] {
  return controllers.map((each) => each.for).filter((kind): kind is DefinedKind => 'definition' in kind);
}

/** What says of an object whose it is; the name selects the operator's pods. */
export const labelsOf = ({ name }: Pick<Installation, 'name'>): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': name,
});
