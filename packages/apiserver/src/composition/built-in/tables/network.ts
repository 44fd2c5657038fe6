/** The rows of what leads traffic to pods: ingresses, policies, endpoints, addresses. */

import type { EndpointSlice } from '@keelson/core/discovery/v1';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '@keelson/core/networking/v1';
import type { Endpoints } from '@keelson/core/v1';
import { age, ageColumn, column, nameColumn, named, selectorText } from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';
import type { TableRules } from '../../../resource/resource.ts';

/** As many as fit, and how many more there are. */
function few(all: readonly string[], none: string, max = 3): string {
  if (all.length === 0) return none;
  const shown = all.slice(0, max).join(',');
  return all.length > max ? `${shown} + ${all.length - max} more...` : shown;
}

export const ingressTable = named(
  (object, now) => {
    const { spec, status } = readAs<Ingress>(object);
    const rules = spec?.rules ?? [];
    const hosts = rules.flatMap(({ host }) => (host ? [host] : []));
    const shown = hosts.slice(0, 3).join(',') || '*';
    const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []);
    return [
      spec?.ingressClassName ?? '<none>',
      hosts.length >= 3 && rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown,
      [...new Set(addresses)].sort().join(','),
      (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
      age(object, now),
    ];
  },
  column('Class', 'Which controller serves it.'),
  column('Hosts', 'The hosts that it has rules for.'),
  column('Address', 'Where it is reached.'),
  column('Ports', 'On which ports it is reached.'),
  ageColumn,
);

/** A name, with a remark where an annotation makes the class the one that is taken by default. */
export const defaultable = (annotations: readonly string[], table: TableRules): TableRules => ({
  ...table,
  cells(object, now) {
    const [name, ...rest] = table.cells(object, now);
    const isDefault = annotations.some((annotation) => object.metadata.annotations?.[annotation] === 'true');
    return [isDefault ? `${String(name)} (default)` : name, ...rest];
  },
});

export const ingressClassTable = defaultable(
  ['ingressclass.kubernetes.io/is-default-class'],
  named(
    (object, now) => {
      const { controller, parameters } = readAs<IngressClass>(object).spec ?? {};
      const kind = parameters && [parameters.kind, parameters.apiGroup].filter(Boolean).join('.');
      return [controller ?? '', parameters ? `${kind}/${parameters.name}` : '<none>', age(object, now)];
    },
    column('Controller', 'Who serves ingresses of this class.'),
    column('Parameters', 'What the controller is configured by.'),
    ageColumn,
  ),
);

export const networkPolicyTable = named(
  (object, now) => [selectorText(readAs<NetworkPolicy>(object).spec?.podSelector ?? {}), age(object, now)],
  column('Pod-Selector', 'To which pods it applies.'),
  ageColumn,
);

/** The real server gives the age too, in a cell that has no column. */
export const ipAddressTable: TableRules = {
  columns: [nameColumn, column('ParentRef', 'Whose address it is.')],
  cells(object, now) {
    const { parentRef } = readAs<IPAddress>(object).spec ?? {};
    const resource = [parentRef?.resource, parentRef?.group].filter(Boolean).join('.').toLowerCase();
    const parent = parentRef && [resource, parentRef.namespace, parentRef.name].filter(Boolean).join('/');
    return [object.metadata.name ?? '', parent ?? '<none>', age(object, now)];
  },
};

export const serviceCidrTable = named(
  (object, now) => [(readAs<ServiceCIDR>(object).spec?.cidrs ?? []).join(','), age(object, now)],
  column('CIDRs', 'The ranges of addresses.'),
  ageColumn,
);

const address = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

export const endpointsTable = named(
  (object, now) => {
    const { subsets = [] } = readAs<Endpoints>(object);
    const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
      ports.length === 0
        ? addresses.map(({ ip }) => ip)
        : ports.flatMap(({ port }) => addresses.map(({ ip }) => address(ip, port))),
    );
    return [few(all, subsets.length === 0 ? '<none>' : ''), age(object, now)];
  },
  column('Endpoints', 'Where the service is served.'),
  ageColumn,
);

export const endpointSliceTable = named(
  (object, now) => {
    const { addressType, ports, endpoints } = readAs<EndpointSlice>(object);
    return [
      addressType,
      few(
        (ports ?? []).map(({ port, name }) => String(port ?? name ?? '*')),
        '<unset>',
      ),
      few(
        (endpoints ?? []).flatMap(({ addresses }) => addresses),
        '<unset>',
      ),
      age(object, now),
    ];
  },
  column('AddressType', 'What kind of addresses these are.'),
  column('Ports', 'The ports of all of them.'),
  column('Endpoints', 'The addresses.'),
  ageColumn,
);
