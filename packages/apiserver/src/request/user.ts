/** Users: a name, groups, and what else authentication found out. */

/** Who makes a request, as role bindings and audit name it. */
export interface User {
  /** Such as `kubernetes-admin` or `system:serviceaccount:default:builder`. */
  readonly name: string;
  /** `system:masters` is above all rules. */
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  /** What the credential says beside that, by keys that are domains. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const allAuthenticated = 'system:authenticated';
export const allUnauthenticated = 'system:unauthenticated';
export const anonymousName = 'system:anonymous';

export const anonymous: User = { name: anonymousName, groups: [allUnauthenticated] };

/** The user of an administrator's kubeconfig, as kubeadm makes it. */
export const administrator: User = { name: 'kubernetes-admin', groups: ['system:masters'] };

/** Members of `system:masters` may do everything, whatever the rules say. */
export const isPrivileged = ({ groups }: User): boolean => groups.includes('system:masters');

export const withGroup = (user: User, group: string): User =>
  user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };

/** Where a user's extra values say by which credential it came. */
export const credentialId = 'authentication.kubernetes.io/credential-id';
