/**
 * The roles and bindings that every cluster has: those of a real API server (data/default-roles.json.gz), by which
 * users may discover, everyone may ask for the version, and `view`, `edit`, `admin` and `cluster-admin` are there
 * to be bound.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { timestamp } from '@keelson/core';
import { dataFile } from '../../data-file.ts';
import { type ApiObject, freeze, type JsonObject } from '../../object.ts';
import { keyIn } from '../../resource/resource.ts';
import type { Context } from '../../verbs/context.ts';

interface Default {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const kinds = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
} as const;

type Resource = keyof typeof kinds;

let defaults: Readonly<Record<Resource, readonly Default[]>> | undefined;

const group = 'rbac.authorization.k8s.io';

export function createDefaultRoles({ store, clock, random }: Context): void {
  defaults ??= freeze(JSON.parse(gunzipSync(readFileSync(dataFile('data/default-roles.json.gz'))).toString()));
  const creationTimestamp = timestamp(clock.now());
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
  for (const [resource, kind] of Object.entries(kinds) as readonly (readonly [Resource, string])[]) {
    const collection = store.collection(`${resource}.${group}`);
    for (const { metadata, ...rest } of defaults?.[resource] ?? []) {
      const object: ApiObject = {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { ...metadata, uid: random.uuid(), creationTimestamp, annotations },
        ...(rest as JsonObject),
      };
      store.create(collection, keyIn(metadata.namespace ?? '', metadata.name), object);
    }
  }
}
