/**
 * The scale of an object: how many replicas it wants and has, in the same shape for every kind.
 *
 * A write to it is one to an object of the kind Scale, made of the real one and put back into it afterwards: its writers
 * own the replicas, and nothing else.
 */

import { type ObjectMeta, printLabelSelector, requirementsOf, timestamp } from '@keelson/core';
import { invalidValue } from '@keelson/schema/validation';
import {
  managedFieldsAfterScale,
  type ObjectType,
  type ReplicasPaths,
  scaleManagedFields,
  updateManagedFields,
} from '../apply/index.ts';
import { decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import { age, ageColumn, integer, named } from '../encode/table-columns.ts';
import { type ApiObject, at, compact, isObject, put, withMetadata } from '../object.ts';
import { builtInSchemas } from '../openapi/documents.ts';
import { patchSchemaFromOpenApi } from '../patch/index.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { converted } from '../resource/conversions.ts';
import { apiVersionOf, keyIn, type Resource, type ScalePaths, type TableRules } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { invalid, methodUnknown, notFound, resourceNamed } from '../status.ts';
import { Revision } from '../store/revision.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { patchedObject } from '../verbs/patched-object.ts';
import { readPatch } from '../verbs/read-patch.ts';
import { objectResponse, representing } from '../verbs/respond.ts';
import { assertName } from '../write/metadata.ts';
import { updateObject } from '../write/update.ts';
import { objectTypeOf, withBodyKind } from './body-kind.ts';

const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: 'io.k8s.api.autoscaling.v1.Scale' };

let objectType: ObjectType | undefined;
const scaleType = (): ObjectType => {
  objectType ??= objectTypeOf(kind);
  return objectType;
};

/** The Scales of a resource as if they were a resource of their own. */
function scaleResource(resource: Resource): Resource {
  const scales = withBodyKind(resource, kind);
  return {
    ...scales,
    strategy: {
      ...scales.strategy,
      custom: false,
      default: (object) => object,
      objectType: scaleType,
      patchSchema: () => patchSchemaFromOpenApi(builtInSchemas(), kind.schema),
      readVersion: apiVersionOf(kind),
      fromStorage: (object) => object,
      table: () => scaleTable,
    },
  };
}

const { columns, cells } = named(
  (object, now) => [at(object, 'spec', 'replicas') ?? 0, at(object, 'status', 'replicas') ?? 0, age(object, now)],
  integer('Desired', 'How many are wanted.'),
  integer('Available', 'How many there are.'),
  ageColumn,
);
/** Unlike those of objects, the names of scales are no names to kubectl. */
const scaleTable: TableRules = { columns: columns.map((each) => ({ ...each, format: '' })), cells };

function selectorText(object: ApiObject, { selector }: ScalePaths): string | undefined {
  const found = selector === undefined ? undefined : at(object, ...selector);
  if (typeof found === 'string') return found || undefined;
  return isObject(found) ? printLabelSelector(requirementsOf(found)) || undefined : undefined;
}

const count = (object: ApiObject, path: readonly string[]): number => {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : 0;
};

function scaleOf(object: ApiObject, paths: ScalePaths): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = count(object, paths.specReplicas);
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: compact({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: compact({ replicas: count(object, paths.statusReplicas), selector: selectorText(object, paths) }),
  };
}

export async function scale(context: Context, call: Call): Promise<ApiResponse> {
  const { resource, namespace, name, info } = call;
  const paths = resource.strategy.scale;
  if (paths === undefined) throw methodUnknown();
  const represent = representing(context, { ...call, resource: scaleResource(resource) }, false);
  const respond = (object: ApiObject) => {
    const { resourceVersion } = object.metadata;
    const shown = new Revision(keyIn(namespace, name), Number(resourceVersion), scaleOf(object, paths));
    return objectResponse(200, represent, shown);
  };
  if (info.verb === 'get') {
    const found = context.store.collection(resource.collection).get(keyIn(namespace, name));
    if (found === undefined) throw notFound(resourceNamed(resource), name);
    return respond(await converted(() => resource.strategy.fromStorage(found.object)));
  }
  const change = info.verb === 'update' ? await replacement(context, call) : await patching(context, call);
  return respond(await commit(context, paths, change));
}

interface Change {
  readonly write: Write;
  /** The Scale that the request makes of the old one, with its owners. */
  readonly of: (old: ApiObject) => ApiObject;
}

async function replacement(context: Context, call: Call): Promise<Change> {
  const { request, name, warnings } = call;
  const options = writeOptions(request.query, 'UpdateOptions');
  const { object: sent, warnings: remarks } = await decodeBody(
    request,
    scaleResource(call.resource),
    options.fieldValidation,
  );
  warnings.push(...remarks);
  assertName(sent, name);
  const write = writeOf(call, options);
  return {
    write,
    of: (old) =>
      updateManagedFields({
        type: scaleType(),
        before: old,
        after: sent,
        manager: write.manager,
        subresource: 'scale',
        now: timestamp(context.clock.now()),
      }) as ApiObject,
  };
}

async function patching(context: Context, call: Call): Promise<Change> {
  const read = await readPatch(call);
  const write = writeOf(call, read.options);
  const scales = { ...write, resource: scaleResource(write.resource) };
  return {
    write,
    of(old) {
      const wanted = patchedObject(context, scales, read, old);
      assertName(wanted, call.name);
      return wanted;
    },
  };
}

async function commit(context: Context, paths: ScalePaths, { write, of }: Change): Promise<ApiObject> {
  const { resource, name } = write;
  const rules = resource.strategy.updates('');
  if (rules === undefined) throw methodUnknown();
  // A scale cannot be updated into existence.
  const existing = { ...resource, strategy: { ...resource.strategy, createOnUpdate: false } };
  const apiVersion = apiVersionOf(resource);
  const places: ReplicasPaths = { [apiVersion]: `.${paths.specReplicas.join('.')}` };
  const { revision } = await updateObject(
    context,
    { ...write, resource: existing },
    {
      rules,
      mayCreate: false,
      build(old) {
        if (old === undefined) throw notFound(resourceNamed(resource), name);
        const before = withMetadata(scaleOf(old, paths), {
          managedFields: scaleManagedFields(old.metadata.managedFields, places) as ObjectMeta['managedFields'],
        });
        return of(before);
      },
      part: {
        of: (object) => scaleOf(object, paths),
        into(wanted, old) {
          const replicas = at(wanted, 'spec', 'replicas') ?? 0;
          assertCount(write, replicas);
          return withMetadata(put(old, paths.specReplicas, replicas), {
            resourceVersion: wanted.metadata.resourceVersion,
            managedFields: managedFieldsAfterScale(
              old.metadata.managedFields,
              wanted.metadata.managedFields,
              apiVersion,
              places,
            ) as ObjectMeta['managedFields'],
          });
        },
      },
      // Whoever names no version means the current one, whatever the kind demands otherwise.
      unconditional: true,
    },
  );
  return await converted(() => resource.strategy.fromStorage(revision.object));
}

/** A custom resource's own schema says what its replicas may be. */
function assertCount({ resource, name }: Write, replicas: unknown): void {
  if (resource.strategy.custom || typeof replicas !== 'number' || replicas >= 0) return;
  throw invalid({ group: kind.group, name: kind.kind }, name, [
    invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
}
