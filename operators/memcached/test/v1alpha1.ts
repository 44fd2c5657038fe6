/** The kind as its older version has it, for those who write objects as they did before there was a v1. */
import type { JsonObject, Kind, KubernetesObject, NewKubernetesObject } from '@keelson/core';
import { Memcached } from '../src/api/memcached.ts';

interface Older extends KubernetesObject {
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
}

const { group, kind, resource, scope } = Memcached;

export const v1alpha1: Kind<Older, NewKubernetesObject & { readonly spec?: JsonObject }> = {
  group,
  kind,
  resource,
  scope,
  version: 'v1alpha1',
};
