/**
 * Rows of a table of access: somebody with these rules sends this request and is answered so.
 *
 * Each row becomes a case of its own, with namespaces and a user of its own. What is refused must be refused in the
 * words that name the missing rule, so that a row cannot pass by being refused for another reason.
 */
import type { Proof } from './case.ts';
import type { Answer, Refusal } from './exchange.ts';
import {
  as,
  grant,
  grantEverywhere,
  mayNot,
  mayNotPath,
  type Refused,
  type Rule,
  serviceAccount,
} from './identities.ts';
import type { Trial } from './trial.ts';

export interface Attempt {
  /** Such as `GET /api/v1/namespaces/{mine}/pods`; `{theirs}` is a namespace in which the rules do not count. */
  readonly request: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is there before: the path of a collection, and what is created in it. */
  readonly given?: readonly [path: string, object: unknown];
}

/** Where the rules are bound: by a role in `mine`, or for the whole cluster. */
export type Where = 'mine' | 'everywhere';

export type Expected =
  /** What an allowed request leads to: the status of the answer. */
  | number
  /** What a refused one lacks; a namespace is given as `mine` or `theirs`. */
  | Omit<Refused, 'user'>
  | { readonly verb: string; readonly path: string };

export function access(where: Where, rules: readonly Rule[], attempt: Attempt, expected: Expected): Proof {
  return async (t) => {
    const names: Names = { mine: await t.namespace(), theirs: await t.namespace() };
    const jane = t.name('jane');
    if (where === 'everywhere') await grantEverywhere(t, jane, ...rules);
    else if (rules.length > 0) await grant(t, names.mine, jane, ...rules);
    judge(await send(t, attempt, names, as(jane).headers), expected, jane, names);
  };
}

/** The same, by a service account with its token, who may then ask to act as somebody else. */
export function accessByToken(rules: readonly Rule[], attempt: Attempt, expected: Expected): Proof {
  return async (t) => {
    const names: Names = { mine: await t.namespace(), theirs: await t.namespace() };
    const account = await serviceAccount(t, names.mine, t.name('account')); // how it acted as somebody is remembered
    if (rules.length > 0) await grantEverywhere(t, account.user, ...rules);
    judge(await send(t, attempt, names, account.headers, true), expected, account.user, names);
  };
}

interface Names {
  readonly mine: string;
  readonly theirs: string;
}

async function send(
  t: Trial,
  { request, body, headers, given }: Attempt,
  names: Names,
  identity: Readonly<Record<string, string | readonly string[]>>,
  isStranger = false,
): Promise<Answer> {
  const filled = (text: string) => text.replaceAll('{mine}', names.mine).replaceAll('{theirs}', names.theirs);
  const filledBody = (value: unknown) => JSON.parse(filled(JSON.stringify(value))) as unknown;
  if (given !== undefined) (await t.post(filled(given[0]), filledBody(given[1]))).is(201);
  const [method = '', target = ''] = filled(request).split(' ');
  const [path = '', search = ''] = target.split('?');
  const options = {
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: { ...identity, ...headers },
    ...(body === undefined ? {} : { body: filledBody(body) }),
  };
  return await (isStranger ? t.session.stranger.send(method, path, options) : t.send(method, path, options));
}

function judge(answer: Answer, expected: Expected, who: string, names: Names): void {
  if (typeof expected === 'number') answer.is(expected);
  else answer.refuses(refusalOf(expected, who, names));
}

function refusalOf(expected: Exclude<Expected, number>, user: string, names: Names): Refusal {
  if ('path' in expected) return mayNotPath(user, expected.verb, expected.path);
  const { namespace, name, ...rest } = expected;
  const known = (text: string) => (Object.hasOwn(names, text) ? names[text as keyof Names] : text);
  return mayNot({
    ...rest,
    user,
    ...(namespace === undefined ? {} : { namespace: known(namespace) }),
    ...(name === undefined ? {} : { name: known(name) }),
  });
}
