/** What a call does, in the words with which its errors begin: `get deployments.apps default/cache`. */
import { type Kind, type NamespacedName, resourceNameOf } from '@keelson/core';

export function actionOf(
  verb: string,
  kind: Pick<Kind, 'group' | 'resource'>,
  key: NamespacedName,
  subresource?: string,
): string {
  return `${verb} ${resourceNameOf(kind)}${subresource === undefined ? '' : `/${subresource}`} ${key}`;
}

export function collectionAction(
  verb: string,
  kind: Pick<Kind, 'group' | 'resource' | 'scope'>,
  namespace: string | undefined,
): string {
  const where = namespace !== undefined ? ` in ${namespace}` : kind.scope === 'Namespaced' ? ' in all namespaces' : '';
  return `${verb} ${resourceNameOf(kind)}${where}`;
}
