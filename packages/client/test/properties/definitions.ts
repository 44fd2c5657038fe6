/** Kinds of the properties' own: `define` returns when the server serves them, in all namespaces. */
import type { Transport } from '@keelson/core';
import { until } from '../until.ts';
import { ask, must } from './given.ts';

const group = 'properties.example.com';

export async function define(
  transport: Transport,
  kind: string,
  openAPIV3Schema: object,
  selectableFields?: readonly { readonly jsonPath: string }[],
): Promise<void> {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const body = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, selectableFields }],
    },
  };
  await must(ask(transport, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body }));
  await until(async () => (await ask(transport, 'GET', `/apis/${group}/v1/${plural}`)).code === 200);
}
