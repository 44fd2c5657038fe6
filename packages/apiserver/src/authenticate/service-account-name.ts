import { labelProblems, subdomainProblems } from '@keelson/schema/validation';

/** Service accounts as users: their names and their groups. */

const prefix = 'system:serviceaccount:';

export const accountUserName = (namespace: string, name: string): string => `${prefix}${namespace}:${name}`;

export const accountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The account of a user name; `undefined` when no service account can have it. */
export function accountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!userName.startsWith(prefix)) return undefined;
  const [namespace = '', name = '', ...rest] = userName.slice(prefix.length).split(':');
  if (rest.length > 0 || labelProblems(namespace).length > 0 || subdomainProblems(name).length > 0) return undefined;
  return { namespace, name };
}
