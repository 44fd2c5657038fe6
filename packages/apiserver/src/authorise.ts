/**
 * May this user do that.
 *
 * Members of `system:masters` may do everything; everybody may ask whether the server lives, which version it is, and
 * what they may do themselves. Nobody else may do anything: RBAC objects can be stored, and are not obeyed yet.
 */
import type { User } from './authenticate.ts';
import type { RequestInfo } from './route/request-info.ts';
import { forbidden, type StatusError } from './status.ts';

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** The paths of the role `system:public-info-viewer`, which everybody has. */
const publicPaths = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** The role `system:basic-user`, which everybody who is somebody has. */
const selfReviews = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews']);

export function authorise(user: User, info: RequestInfo): Decision {
  if (user.groups.includes('system:masters')) return { allowed: true };
  if (info.type === 'other') {
    if (publicPaths.has(info.path) && info.verb === 'get') return { allowed: true };
    if (isAuthenticated(user) && info.verb === 'get' && /^\/(?:api|apis|openapi)(?:\/|$)/.test(info.path)) {
      return { allowed: true };
    }
    return { allowed: false, reason: '' };
  }
  if (isAuthenticated(user) && info.verb === 'create' && selfReviews.has(info.resource)) return { allowed: true };
  return { allowed: false, reason: '' };
}

const isAuthenticated = ({ groups }: User): boolean => groups.includes('system:authenticated');

/** The refusal, naming who wanted to do what and where. */
export function refusal(user: User, info: RequestInfo): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${info.verb}`;
  if (info.type === 'other') {
    return forbidden({ group: '', name: '' }, '', `${who} path ${JSON.stringify(info.path)}`);
  }
  const { group, resource, subresource, namespace, name } = info;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
  return forbidden({ group, name: resource }, name, why);
}
