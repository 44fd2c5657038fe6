/** The two kinds whose subresources are reached here. `@keelson/core/v1` has them too, among everything else: it takes long to load. */
import type { Kind } from '@keelson/core';

export const pods: Kind = { group: '', version: 'v1', kind: 'Pod', resource: 'pods', scope: 'Namespaced' };

export const serviceAccounts: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  scope: 'Namespaced',
};
