/** POST of a binding: a scheduler gives a pod its node. */

import { timestamp } from '@keelson/core';
import type { Pod } from '@keelson/core/v1';
import { required, unsupportedValue } from '@keelson/schema/validation';
import { admitPosted } from '../admit/admit-posted.ts';
import { decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import { type ApiObject, at, type JsonObject, readAs } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import { keyIn } from '../resource/resource.ts';
import { conflict, invalid, notFound } from '../status.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { inNamespace } from '../write/metadata.ts';
import { withBodyKind } from './body-kind.ts';

const pods = { group: '', name: 'pods' };

const body = { group: '', version: 'v1', kind: 'Binding', schema: 'io.k8s.api.core.v1.Binding' };

/** By `pods/x/binding`, or by the resource `bindings`, whose body names the pod. */
export async function bind(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, warnings } = call;
  const options = writeOptions(request.query, 'CreateOptions');
  const { object: sent, warnings: remarks } = await decodeBody(
    request,
    withBodyKind(resource, body),
    options.fieldValidation,
  );
  warnings.push(...remarks);
  const binding = await admitPosted(context, writeOf(call, options), inNamespace(sent, namespace));
  const name = call.name || (binding.metadata.name ?? '');
  const kind = at(binding, 'target', 'kind');
  const node = at(binding, 'target', 'name');
  const causes = [
    ...(kind === undefined || kind === 'Node' ? [] : [unsupportedValue('target.kind', kind, ['Node', '<empty>'])]),
    ...(typeof node === 'string' && node !== '' ? [] : [required('target.name')]),
  ];
  if (causes.length > 0) throw invalid({ group: '', name: 'Binding' }, name, causes);

  const collection = context.store.collection('pods');
  const existing = collection.get(keyIn(namespace, name));
  if (existing === undefined) throw notFound(pods, name);
  const pod = readAs<Pod>(existing.object);
  if (pod.metadata.deletionTimestamp) {
    throw conflict(
      { group: '', name: 'pods/binding' },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (pod.spec.nodeName) {
    throw conflict(
      { group: '', name: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`,
    );
  }
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    observedGeneration: pod.metadata.generation,
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock.now()),
  };
  const conditions = [...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), scheduled];
  const bound: ApiObject = {
    ...existing.object,
    spec: { ...(existing.object.spec as JsonObject), nodeName: node },
    status: { ...(existing.object.status as JsonObject), conditions },
  };
  if (!options.dryRun) context.store.update(collection, existing, bound);
  return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}
