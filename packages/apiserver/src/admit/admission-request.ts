/** The request of an admission review, which is also what expressions see as `request`. */
import { compact, type JsonObject } from '../object.ts';
import type { User } from '../request/user.ts';
import type { Attributes } from './attributes.ts';
import type { Match } from './match.ts';

/** Without the objects, and without the uid by which a webhook's answer is known. */
export function admissionRequest(attributes: Attributes, match: Match): JsonObject {
  const { resource, subresource, kind, name, namespace, operation, user, dryRun, options } = attributes;
  const below = subresource === '' ? undefined : subresource;
  return compact({
    kind: match.kind,
    resource: groupVersionResource(match.resource),
    subResource: below,
    requestKind: kind,
    requestResource: groupVersionResource(resource),
    requestSubResource: below,
    name: name === '' ? undefined : name,
    namespace: namespace === '' ? undefined : namespace,
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: options ?? null,
  });
}

const groupVersionResource = ({ group, version, resource }: Match['resource']): JsonObject => ({
  group,
  version,
  resource,
});

const userInfo = ({ name, uid, groups, extra }: User): JsonObject =>
  compact({
    username: name,
    uid: uid === undefined || uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  });
