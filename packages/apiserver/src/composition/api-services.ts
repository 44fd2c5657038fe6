/**
 * APIServices whose group another server should answer for. There is none that this one could reach: their groups are in
 * discovery as stale, what is asked of them is answered with 503, and they say why.
 *
 * Works inside the write that it reacts to, like the definitions of custom resources.
 */
import { timestamp } from '@keelson/core';
import type { APIService, APIServiceCondition } from '@keelson/core/apiregistration/v1';
import { type ApiObject, put, readAs } from '../object.ts';
import { keyIn } from '../resource/resource.ts';
import type { Context } from '../verbs/context.ts';
import { updateOwnStatus } from '../write/own-status-update.ts';

const name = 'apiservices.apiregistration.k8s.io';

export function runApiServices(context: Context): void {
  const { store, registry } = context;
  const services = store.collection(name);
  store.listen((collection, { type, revision }) => {
    if (collection !== services) return;
    registry.delegate(
      services.list().flatMap(({ object }) => {
        const { spec } = readAs<APIService>(object);
        return spec?.service === undefined ? [] : [{ group: spec.group ?? '', version: spec.version ?? '' }];
      }),
    );
    if (type !== 'DELETED') report(context, revision.object);
  });
}

function report(context: Context, object: ApiObject): void {
  const { spec, status, metadata } = readAs<APIService>(object);
  const old = (status?.conditions ?? []).find(({ type }) => type === 'Available');
  const found = availability(context, spec);
  if (old?.status === found.status && old.reason === found.reason && old.message === found.message) return;
  const resource = context.registry.all().find(({ collection }) => collection === name);
  if (resource === undefined) return;
  const lastTransitionTime = old?.status === found.status ? old.lastTransitionTime : timestamp(context.clock.now());
  const others = (status?.conditions ?? []).filter((each) => each !== old);
  const { type, ...rest } = found;
  const condition = { type, status: rest.status, lastTransitionTime, reason: rest.reason, message: rest.message };
  updateOwnStatus(context, resource, '', metadata.name, (current) =>
    put(current, ['status', 'conditions'], [...others, condition]),
  );
}

function availability({ objects }: Context, spec: APIService['spec']): APIServiceCondition {
  const service = spec?.service;
  if (service === undefined) {
    return { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
  }
  const { name: serviceName = '', namespace = '' } = service;
  const where = `service/${serviceName} in ${JSON.stringify(namespace)}`;
  if (objects.find('services', keyIn(namespace, serviceName)) === undefined) {
    return { type: 'Available', status: 'False', reason: 'ServiceNotFound', message: `${where} is not present` };
  }
  const message = `failing or missing response from ${where}: this server hands no requests on to others`;
  return { type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck', message };
}
