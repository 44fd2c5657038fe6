/**
 * The names that a scaffold is made of: what is wrong with one, and the names of files and variables that follow.
 *
 * The rules are those of the API server, and of what a name becomes here: a package, a file, an identifier.
 */
import { label1035Problems, subdomainProblems } from '@keelson/schema/validation';

/** A kind, as the API server knows it. */
export interface KindNames {
  /** The whole group: `cache.example.com`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** @default the kind in lower case, with an `s` */
  readonly plural?: string | undefined;
}

/** What is wrong with a text, in one sentence without its end; `undefined` when nothing is. */
export type NameProblem = (text: string) => string | undefined;

const labelText = (most: number): string =>
  `a lower-case letter, then lower-case letters, digits and dashes, ${most} at most`;

const labelProblem: NameProblem = (text) =>
  label1035Problems(text).length === 0 ? undefined : `"${text}" is not ${labelText(63)}`;

/** The project's name is that of the package and of the operator; with `-metrics` it is that of a Service. */
export const projectNameProblem: NameProblem = (text) => {
  if (label1035Problems(`${text}-metrics`).length === 0 && labelProblem(text) === undefined) return undefined;
  return `"${text}" is not ${labelText(55)}, such as website-operator`;
};

/** A version is part of paths. */
export const versionProblem: NameProblem = (text) => {
  const problem = labelProblem(text);
  return problem && `${problem}, such as v1alpha1`;
};

/** A plural is part of paths. */
export const pluralProblem: NameProblem = labelProblem;

/** A domain ends groups: it has a dot, and is nobody else's. */
export const domainProblem: NameProblem = (text) => {
  if (subdomainProblems(text).length > 0 || !text.includes('.')) {
    return `"${text}" is no domain name in lower case with a dot, such as example.com`;
  }
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(text)) return undefined;
  return `"${text}" belongs to the Kubernetes project: use a domain of your own`;
};

/** Empty means: the domain alone. */
export const groupProblem: NameProblem = (text) => {
  if (text.includes('.')) return domainProblem(text);
  const problem = text === '' ? undefined : labelProblem(text);
  return problem && `${problem}, such as cache; with a dot it is the whole group`;
};

/** A kind is in CamelCase. */
export const kindProblem: NameProblem = (text) => {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(text)) {
    return `"${text}" is not in CamelCase, of letters and digits, 63 at most, such as Memcached`;
  }
  return undefined;
};

/** Of a kind of the project's own, for which a definition, and maybe a controller, shall be written. */
export const ownKindProblem: NameProblem = (text) => {
  const problem = kindProblem(text);
  if (problem !== undefined) return problem;
  if (text.length > 59) return `"${text}" is too long, since there is a kind of its lists: 59 at most`;
  return takenNames.has(text)
    ? `"${text}" means something else in the files of a kind: choose another name`
    : undefined;
};

/** In CamelCase: what the files of a kind and of its controller import, and the globals that they need. */
const takenNames = new Set(['Deployment', 'NewDeployment', 'ObjectOf', 'StatusInputOf', 'InputOf', 'Promise']);

/** `cache` in the domain `example.com` is `cache.example.com`; what has a dot is whole. */
export function groupOf(group: string, domain: string): string {
  if (group.includes('.')) return group;
  return group === '' ? domain : `${group}.${domain}`;
}

/** `website-operator` names the kind `Website`. */
export function kindOf(projectName: string): string {
  return upperFirst(camelCase(withoutOperator(projectName) || projectName));
}

/** `website-operator` and `website` are exported as `websiteOperator`. */
export function operatorIdentifier(projectName: string): string {
  return `${camelCase(withoutOperator(projectName)) || 'my'}Operator`;
}

export function controllerIdentifier(kind: string): string {
  return `${lowerFirst(kind)}Controller`;
}

export function webhookIdentifier(kind: string): string {
  return `${lowerFirst(kind)}Webhook`;
}

/** Where a kind's own files are called after it: `MemcachedCluster` is in `memcached-cluster.ts`. */
export function fileNameOf(kind: string): string {
  return kind.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}

/** What one object of the kind is called where `taken` has other meanings already, and some words are the language's. */
export function variableOf(kind: string, taken: readonly string[]): string {
  const name = lowerFirst(kind);
  return taken.includes(name) || languageWords.has(name) ? 'object' : name;
}

// Those that can come out of a CamelCase kind, in strict code.
const languageWords = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

const withoutOperator = (name: string): string => name.replace(/-?operator$/, '');
const camelCase = (name: string): string => name.replaceAll(/-+([a-z0-9]?)/g, (_, next: string) => next.toUpperCase());
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `HTTPRoute` is `httpRoute`. */
function lowerFirst(kind: string): string {
  return kind.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+(?=\d*$)|^[A-Z]/, (start) => start.toLowerCase());
}
