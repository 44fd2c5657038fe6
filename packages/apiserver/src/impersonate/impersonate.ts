/**
 * Acting as another user: the headers that ask for it, and who may.
 *
 * There are several ways to be allowed it. The narrow ones (`impersonate:user-info` and its like) also name the request
 * for which it is wanted; the old one (`impersonate`) does not. Any of them will do. A refusal speaks of the way that
 * the caller has last succeeded in, or of the first one that could apply.
 */

import { subdomainProblems } from '@keelson/schema/validation';
import { accountGroups, accountOf } from '../authenticate/service-account-name.ts';
import { type Attributes, type ResourceAttributes, refusal } from '../authorise/attributes.ts';
import type { Authoriser } from '../authorise/authoriser.ts';
import type { Impersonation } from '../request/exchange.ts';
import { allAuthenticated, allUnauthenticated, anonymousName, type User, withGroup } from '../request/user.ts';
import { badRequest, StatusError } from '../status.ts';

/** Whom the headers of a request ask for; `undefined` when they ask for no one. */
export function wantedUser(headers: Impersonation): User | undefined {
  const name = headers.get('impersonate-user')?.[0] ?? '';
  const uid = headers.get('impersonate-uid')?.[0] ?? '';
  const groups = headers.get('impersonate-group') ?? [];
  const prefix = 'impersonate-extra-';
  const extras = new Map<string, readonly string[]>(); // callers name the keys, `constructor` if they like
  for (const [header, values] of headers) {
    if (!header.startsWith(prefix)) continue;
    const key = unescaped(header.slice(prefix.length).toLowerCase());
    extras.set(key, [...(extras.get(key) ?? []), ...values]);
  }
  const hasExtra = extras.size > 0;
  if (name !== '') {
    return { name, groups, ...(uid !== '' && { uid }), ...(hasExtra && { extra: Object.fromEntries(extras) }) };
  }
  if (uid === '' && groups.length === 0 && !hasExtra) return undefined;
  const texts = (list: readonly string[]) => `[]string{${list.map((text) => JSON.stringify(text)).join(', ')}}`;
  const map = [...extras.keys()].sort().map((key) => `${JSON.stringify(key)}:${texts(extras.get(key) ?? [])}`);
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groups.length > 0 ? texts(groups) : '[]string(nil)'}, Extra:map[string][]string${hasExtra ? `{${map.join(', ')}}` : '(nil)'}} without impersonating a user name`,
  );
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

interface Mode {
  /** Empty for the old one. */
  readonly name: string;
  applies(wanted: User, requestor: User): boolean;
}

const nodePrefix = 'system:node:';
const nodeNameKey = 'authentication.kubernetes.io/node-name';

function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined;
  const name = userName.slice(nodePrefix.length);
  return subdomainProblems(name).length === 0 ? name : undefined;
}

const hasNameOnly = ({ uid, groups, extra }: User): boolean =>
  uid === undefined && groups.length === 0 && extra === undefined;

const modes: readonly Mode[] = [
  {
    // A service account acts as the node that its pod runs on.
    name: 'associated-node',
    applies(wanted, requestor) {
      const node = nodeOf(wanted.name);
      const own = requestor.extra?.[nodeNameKey];
      if (!hasNameOnly(wanted) || node === undefined || accountOf(requestor.name) === undefined) return false;
      return own?.length === 1 && own[0] === node;
    },
  },
  { name: 'arbitrary-node', applies: (wanted) => hasNameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => hasNameOnly(wanted) && accountOf(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { name: '', applies: () => true },
];

/** So many callers' last success is remembered, as on the real server. */
const keptCallers = 10_000;

export class Impersonator {
  readonly #authoriser: Authoriser;
  /** The way in which a caller, by name, has last succeeded. */
  readonly #last = new Map<string, Mode>();

  constructor(authoriser: Authoriser) {
    this.#authoriser = authoriser;
  }

  /** Who the caller is for this request; throws a refusal. */
  impersonate(requestor: User, headers: Impersonation, request: Attributes): User {
    const wanted = wantedUser(headers);
    if (wanted === undefined) return requestor;
    const last = this.#last.get(requestor.name);
    const ordered = last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)];
    let refused: StatusError | undefined;
    for (const mode of ordered) {
      if (!mode.applies(wanted, requestor)) continue;
      try {
        const user = this.#by(mode, requestor, wanted, request);
        this.#remember(requestor.name, mode);
        return user;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        refused ??= error;
      }
    }
    throw refused ?? new Error('no way of impersonation applies');
  }

  #remember(caller: string, mode: Mode): void {
    this.#last.delete(caller);
    const [oldest] = this.#last.keys();
    if (this.#last.size >= keptCallers && oldest !== undefined) this.#last.delete(oldest);
    this.#last.set(caller, mode);
  }

  #by({ name: mode }: Mode, requestor: User, wanted: User, request: Attributes): User {
    const isNarrow = mode !== '';
    const verb = isNarrow ? `impersonate:${mode}` : 'impersonate';
    const about = (resource: string, name: string, more: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
      type: 'resource',
      verb,
      group: isNarrow ? 'authentication.k8s.io' : '',
      resource,
      subresource: '',
      namespace: '',
      name,
      ...more,
    });
    const assert = (attributes: Attributes): void => {
      const { allowed, reason } = this.#authoriser.decide(requestor, attributes);
      if (!allowed) throw refusal(requestor, attributes, reason);
    };
    if (isNarrow) assert({ ...request, verb: `impersonate-on:${mode}:${request.verb}` });

    let user = wanted;
    const account = accountOf(wanted.name);
    const node = isNarrow ? nodeOf(wanted.name) : undefined;
    if (account !== undefined) {
      assert(about('serviceaccounts', account.name, { namespace: account.namespace }));
      if (wanted.groups.length === 0) user = { ...wanted, groups: accountGroups(account.namespace) };
    } else if (node !== undefined) {
      // Which node it is has been found out already.
      assert(about('nodes', mode === 'associated-node' ? '*' : node));
      user = { ...wanted, groups: ['system:nodes'] };
    } else assert(about('users', wanted.name));

    const more = { group: 'authentication.k8s.io' };
    if (wanted.uid !== undefined) assert(about('uids', wanted.uid, more));
    if (isNarrow) assertNarrowGroups(requestor, wanted, (group) => about('groups', group));
    for (const group of wanted.groups) assert(about('groups', group));
    if (isNarrow) assertNarrowExtra(requestor, wanted, about('userextras', '', more));
    for (const [key, values] of Object.entries(wanted.extra ?? {})) {
      for (const value of values) assert(about('userextras', value, { ...more, subresource: key }));
    }

    if (user.name === anonymousName) return withGroup(user, allUnauthenticated);
    return user.groups.includes(allUnauthenticated) ? user : withGroup(user, allAuthenticated);
  }
}

/** What the narrow ways never allow. */
function assertNarrowGroups(requestor: User, { groups }: User, about: (group: string) => ResourceAttributes): void {
  if (groups.includes('')) throw refusal(requestor, about(''), 'impersonating the empty string group is not allowed');
  if (groups.includes('system:masters')) {
    throw refusal(requestor, about('system:masters'), 'impersonating the system:masters group is not allowed');
  }
}

function assertNarrowExtra(requestor: User, { extra = {} }: User, about: ResourceAttributes): void {
  for (const [key, values] of Object.entries(extra)) {
    const problem =
      key === ''
        ? 'impersonating the empty string key in extra is not allowed'
        : keyProblem(key) !== undefined
          ? `impersonating an invalid key in extra is not allowed: ${keyProblem(key)}`
          : values.includes('')
            ? 'impersonating the empty string value in extra is not allowed'
            : undefined;
    if (problem !== undefined) throw refusal(requestor, about, problem);
  }
}

function keyProblem(key: string): string | undefined {
  const [, host = '', path = ''] = /^([^/]*)\/(.*)$/s.exec(key) ?? [];
  const invalid = (value: string, why: string) => `extra.key: Invalid value: ${JSON.stringify(value)}: ${why}`;
  if (host === '' || path === '') return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  const [problem] = subdomainProblems(host);
  return problem === undefined ? undefined : invalid(host, problem);
}
