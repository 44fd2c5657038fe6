/**
 * `authorizer`: whether the user of a request, or a service account, may do something else.
 *
 * Each step of `authorizer.group('').resource('pods').namespace('a').check('create').allowed()` is a value of its own.
 */
import { labelProblems, subdomainProblems } from '../../metadata/name-rules.ts';
import { type Library, overload } from '../language/environment.ts';
import { struct, type Type } from '../language/types.ts';
import { CelError, OpaqueValue, sizeOf, type Value } from '../language/values.ts';

/** What a policy asks the authoriser. */
export type AuthorizerQuestion = {
  readonly verb: string;
  /** Undefined for the user who made the request. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
} & (
  | { readonly type: 'path'; readonly path: string }
  | {
      readonly type: 'resource';
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
);

/** What it answers. */
export interface AuthorizerAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty when nothing went wrong. */
  readonly error: string;
}

/** Answers the questions of policies. */
export type Authorize = (question: AuthorizerQuestion) => AuthorizerAnswer;

type ServiceAccount = AuthorizerQuestion['serviceAccount'];
type ResourceQuestion = Extract<AuthorizerQuestion, { readonly type: 'resource' }>;
type Resource = Omit<ResourceQuestion, 'type' | 'verb' | 'serviceAccount'>;

/** None of these is equal to another. */
abstract class Step extends OpaqueValue {
  override equals(other: OpaqueValue): boolean {
    return this === other;
  }
}

const typed = (name: string): Type => struct(`kubernetes.authorization.${name}`);
/** The type of the variable `authorizer`. */
export const authorizerType = typed('Authorizer');
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = typed('ResourceCheck');
const pathCheckType = typed('PathCheck');
const groupCheckType = typed('GroupCheck');
const decisionType = typed('Decision');

/** The variable `authorizer`. */
export class Authorizer extends Step {
  override readonly type = authorizerType;
  readonly authorize: Authorize;
  readonly serviceAccount: ServiceAccount;
  constructor(authorize: Authorize, serviceAccount?: ServiceAccount) {
    super();
    this.authorize = authorize;
    this.serviceAccount = serviceAccount;
  }
}

class PathCheck extends Step {
  override readonly type = pathCheckType;
  readonly authorizer: Authorizer;
  readonly path: string;
  constructor(authorizer: Authorizer, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends Step {
  override readonly type = groupCheckType;
  readonly authorizer: Authorizer;
  readonly group: string;
  constructor(authorizer: Authorizer, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The variable `authorizer.requestResource`, and what `authorizer.group(…).resource(…)` gives. */
export class ResourceCheck extends Step {
  override readonly type = resourceCheckType;
  readonly authorizer: Authorizer;
  readonly resource: Resource;
  constructor(authorizer: Authorizer, resource: Resource) {
    super();
    this.authorizer = authorizer;
    this.resource = resource;
  }

  with(change: Partial<Resource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...change });
  }
}

class Decision extends Step {
  override readonly type = decisionType;
  readonly answer: AuthorizerAnswer;
  constructor(answer: AuthorizerAnswer) {
    super();
    this.answer = answer;
  }
}

function serviceAccount(authorizer: Value, namespace: Value, name: Value): Value {
  if (subdomainProblems(String(name)).length > 0) return new CelError('Invalid service account name');
  if (labelProblems(String(namespace)).length > 0) return new CelError('Invalid service account namespace');
  return new Authorizer((authorizer as Authorizer).authorize, { namespace: String(namespace), name: String(name) });
}

function checkResource(check: Value, verb: Value): Value {
  const { authorizer, resource } = check as ResourceCheck;
  const { authorize, serviceAccount } = authorizer;
  return new Decision(authorize({ type: 'resource', verb: String(verb), serviceAccount, ...resource }));
}

function checkPath(check: Value, verb: Value): Value {
  const { authorizer, path } = check as PathCheck;
  const { authorize, serviceAccount } = authorizer;
  return new Decision(authorize({ type: 'path', verb: String(verb), serviceAccount, path }));
}

const isBlank = (text: Value): boolean => String(text).trim() === '';
const asked = { cost: () => 350_000 };
/** RBAC knows no selectors, so that they cost their reading and change nothing. */
const read = { cost: (args: readonly Value[]) => Math.ceil(sizeOf(args[1] ?? null) * 0.1) };
const set = (field: keyof Resource) => (check: Value, value: Value) =>
  (check as ResourceCheck).with({ [field]: String(value) });

const the = 'kubernetes.authorization';

/** Asking the authoriser. */
export const authorizers: Library = [
  overload(`${the}.Authorizer.path(string): ${the}.PathCheck`, (authorizer, path) =>
    isBlank(path) ? new CelError('path must not be empty') : new PathCheck(authorizer as Authorizer, String(path)),
  ),
  overload(
    `${the}.Authorizer.group(string): ${the}.GroupCheck`,
    (authorizer, group) => new GroupCheck(authorizer as Authorizer, String(group)),
  ),
  overload(`${the}.Authorizer.serviceAccount(string, string): ${the}.Authorizer`, serviceAccount),
  overload(`${the}.GroupCheck.resource(string): ${the}.ResourceCheck`, (check, resource) => {
    if (isBlank(resource)) return new CelError('resource must not be empty');
    const { authorizer, group } = check as GroupCheck;
    const what = { group, resource: String(resource), subresource: '', namespace: '', name: '' };
    return new ResourceCheck(authorizer, what);
  }),
  overload(`${the}.ResourceCheck.subresource(string): ${the}.ResourceCheck`, set('subresource')),
  overload(`${the}.ResourceCheck.namespace(string): ${the}.ResourceCheck`, set('namespace')),
  overload(`${the}.ResourceCheck.name(string): ${the}.ResourceCheck`, set('name')),
  overload(`${the}.ResourceCheck.fieldSelector(string): ${the}.ResourceCheck`, (check) => check, read),
  overload(`${the}.ResourceCheck.labelSelector(string): ${the}.ResourceCheck`, (check) => check, read),
  overload(`${the}.ResourceCheck.check(string): ${the}.Decision`, checkResource, asked),
  overload(`${the}.PathCheck.check(string): ${the}.Decision`, checkPath, asked),
  overload(`${the}.Decision.allowed(): bool`, (decision) => (decision as Decision).answer.allowed),
  overload(`${the}.Decision.reason(): string`, (decision) => (decision as Decision).answer.reason),
  overload(`${the}.Decision.errored(): bool`, (decision) => (decision as Decision).answer.error !== ''),
  overload(`${the}.Decision.error(): string`, (decision) => (decision as Decision).answer.error),
];
