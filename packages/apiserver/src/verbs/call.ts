/** A request that has found its resource, and the write that it asks for. */
import type { JsonObject } from '../object.ts';
import type { ApiRequest } from '../request/exchange.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import type { User } from '../request/user.ts';
import type { Resource } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { managerOf } from '../write/metadata.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly user: User;
  readonly info: ResourceInfo;
  readonly resource: Resource;
  /** Empty for a cluster-scoped resource and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Remarks that travel with the answer, whatever it is. */
  readonly warnings: string[];
}

/** What is left of a request to write once its options have been read. */
export function writeOf(
  { request, user, info, resource, namespace, name, warnings }: Call,
  {
    dryRun,
    fieldManager = '',
    given,
  }: { readonly dryRun: boolean; readonly fieldManager?: string; readonly given: JsonObject },
): Write {
  const manager = managerOf(fieldManager, request.headers['user-agent']);
  return {
    user,
    verb: info.verb,
    resource,
    subresource: info.subresource,
    namespace,
    name,
    manager,
    dryRun,
    options: given,
    warnings,
  };
}
