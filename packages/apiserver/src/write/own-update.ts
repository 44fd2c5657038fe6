/** A change that the server makes of itself, as it would through its own front door: owned, checked, and stored. */
import { timestamp } from '@keelson/core';
import { updateManagedFields } from '../apply/index.ts';
import type { ApiObject } from '../object.ts';
import { administrator } from '../request/user.ts';
import type { Call, Context } from '../verbs/context.ts';
import { commitUpdate } from './commit.ts';

const manager = 'kube-apiserver';

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Changes the status of an object that exists. */
export function updateOwnStatus(
  context: Context,
  { group, version, resource: plural }: ResourceName,
  namespace: string,
  name: string,
  change: (old: ApiObject) => ApiObject,
): void {
  const resource = context.registry.find(group, version, plural);
  const rules = resource?.strategy.updates('status');
  if (resource === undefined || rules === undefined) throw new Error(`${plural} have no status`);
  const call: Call = {
    request: {
      method: 'PUT',
      path: '',
      query: new URLSearchParams(),
      headers: { 'user-agent': manager },
      body: undefined,
      credentials: {},
      host: '',
    },
    user: administrator,
    info: {
      type: 'resource',
      verb: 'update',
      group,
      version,
      resource: plural,
      namespace,
      name,
      subresource: 'status',
      rest: [],
      watchPath: false,
      throughNamespace: false,
    },
    resource,
    namespace,
    name,
    warnings: [],
  };
  commitUpdate(context, call, {
    rules,
    mayCreate: false,
    dryRun: false,
    build(old) {
      if (old === undefined) throw new Error(`${plural} ${namespace}/${name} is gone`);
      return updateManagedFields({
        type: resource.strategy.objectType('status'),
        before: old,
        after: change(old),
        manager,
        subresource: 'status',
        now: timestamp(context.clock.now()),
      }) as ApiObject;
    },
  });
}
