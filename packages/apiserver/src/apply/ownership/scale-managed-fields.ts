/**
 * managedFields between a resource and its scale: the scale shows who owns the replicas, and a write to the scale takes
 * only those away from their owners.
 *
 * As on the real server, an owner that came through the scale has no time, and an updater of the resource that owned
 * the replicas may end up with two entries.
 */
import { difference, fieldStep, has, isEmpty, setOf } from '@keelson/core/fields';
import type { JsonObject } from '../../object.ts';
import type { Json } from '../typed/json.ts';
import { decodeManagers, encodeManagers, managerId, type Ownership } from './managed-fields.ts';

/** By version of the resource: where its replicas are, such as `.spec.replicas`; `undefined` if it has no scale. */
export type ReplicasPaths = Readonly<Record<string, string | undefined>>;

const scaleVersion = 'autoscaling/v1';
const inScale = stepsOf('.spec.replicas');

/** The managedFields of a scale that is read from a resource with these entries. */
export function scaleManagedFields(entries: Json, paths: ReplicasPaths): readonly JsonObject[] | undefined {
  const owners = new Map<string, Ownership>();
  for (const [id, owner] of decodeManagers(entries)) {
    const path = paths[owner.apiVersion];
    if (path === undefined || !has(owner.fields, stepsOf(path))) continue;
    owners.set(id, { ...owner, apiVersion: scaleVersion, fields: setOf(inScale) });
  }
  return encodeManagers(owners);
}

/** The resource's managedFields after its scale was written, and got `scaleEntries`. */
export function managedFieldsAfterScale(
  entries: Json,
  scaleEntries: Json,
  apiVersion: string,
  paths: ReplicasPaths,
): readonly JsonObject[] | undefined {
  const parents = decodeManagers(entries);
  const scalers = new Map(decodeManagers(scaleEntries));
  const owners = new Map<string, Ownership>();
  for (const [id, owner] of parents) {
    if (!Object.hasOwn(paths, owner.apiVersion)) continue;
    const path = paths[owner.apiVersion];
    if (path === undefined || !has(owner.fields, stepsOf(path)) || scalers.delete(id)) {
      owners.set(id, owner);
      continue;
    }
    const fields = difference(owner.fields, setOf(stepsOf(path)));
    if (!isEmpty(fields)) owners.set(id, { ...owner, fields });
  }
  const replicas = setOf(stepsOf(paths[apiVersion] ?? '.spec.replicas'));
  for (const [id, scaler] of scalers) {
    if (!has(scaler.fields, inScale)) continue;
    owners.set(id, { ...scaler, apiVersion, fields: replicas, time: parents.get(managerId(scaler))?.time });
  }
  return encodeManagers(owners);
}

function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.').map(fieldStep);
}
