/** Endpoints and EndpointSlices: addresses that can be reached, and ports. */

import { isIP, isIPv4 } from 'node:net';
import type { EndpointSlice } from '@keelson/core/discovery/v1';
import type { Endpoints } from '@keelson/core/v1';
import {
  duplicateValue,
  invalidValue,
  labelProblems,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, readAs } from '../../../object.ts';
import { changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

const badIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const unreachable: readonly (readonly [RegExp, string])[] = [
  [/^(0\.0\.0\.0|::)$/, 'may not be unspecified (0.0.0.0 or ::)'],
  [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab])/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff[01]2:)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];

function addressProblems(address: string, field: string): readonly Problem[] {
  if (isIP(address) === 0) return [invalidValue(field, address, badIp)];
  return unreachable.filter(([range]) => range.test(address)).map(([, why]) => invalidValue(field, address, why));
}

const nameProblems = (name: string, field: string): readonly Problem[] =>
  labelProblems(name).map((problem) => invalidValue(field, name, problem));

const protocolProblems = (protocol: string | undefined, field: string): readonly Problem[] =>
  protocol && protocols.includes(protocol) ? [] : [unsupportedValue(field, protocol ?? '', protocols)];

function subsetProblems({ subsets }: Endpoints): readonly Problem[] {
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`;
    const places = { addresses, notReadyAddresses };
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required(field, 'must specify `addresses` or `notReadyAddresses`')]
        : []),
      ...Object.entries(places).flatMap(([name, list]) =>
        list.flatMap(({ ip }, at) => addressProblems(ip ?? '', `${field}.${name}[${at}].ip`)),
      ),
      ...ports.flatMap(({ name, port, protocol }, at) => {
        const own = `${field}.ports[${at}]`;
        return [
          ...(name ? nameProblems(name, `${own}.name`) : ports.length > 1 ? [required(`${own}.name`)] : []),
          ...(port >= 1 && port <= 65_535
            ? []
            : [invalidValue(`${own}.port`, port ?? 0, 'must be between 1 and 65535, inclusive')]),
          ...protocolProblems(protocol, `${own}.protocol`),
        ];
      }),
    ];
  });
}

function sliceProblems({ addressType, ports, endpoints }: EndpointSlice): readonly Problem[] {
  const names = (ports ?? []).map(({ name = '' }) => name);
  return [
    ...(addressType
      ? addressTypes.includes(addressType)
        ? []
        : [unsupportedValue('addressType', addressType, addressTypes)]
      : [required('addressType')]),
    ...(ports ?? []).flatMap(({ name = '', protocol }, index) => [
      ...(name ? nameProblems(name, `ports[${index}].name`) : []),
      ...(names.indexOf(name) < index ? [duplicateValue(`ports[${index}].name`, name)] : []),
      ...protocolProblems(protocol, `ports[${index}].protocol`),
    ]),
    ...(endpoints ?? []).flatMap(({ addresses, hostname }, index) => {
      const field = `endpoints[${index}]`;
      const list = addresses ?? [];
      const isWrong = (address: string) => isIP(address) !== 0 && isIPv4(address) !== (addressType === 'IPv4');
      return [
        ...(list.length === 0 ? [required(`${field}.addresses`, 'must contain at least 1 address')] : []),
        ...(addressType === 'FQDN'
          ? []
          : list.flatMap((address, at) => [
              ...(isWrong(address)
                ? [invalidValue(`${field}.addresses`, address, `must be an ${addressType} address`)]
                : []),
              ...addressProblems(address, `${field}.addresses[${at}]`),
            ])),
        ...(hostname === undefined ? [] : nameProblems(hostname, `${field}.hostname`)),
      ];
    }),
  ];
}

/** Stored lists that are empty come back as null. */
const withoutEmptyLists = (object: ApiObject): ApiObject => {
  const isEmpty = (name: string) => Array.isArray(object[name]) && (object[name] as unknown[]).length === 0;
  const empty = ['endpoints', 'ports'].filter(isEmpty);
  return empty.length === 0 ? object : { ...object, ...Object.fromEntries(empty.map((name) => [name, null])) };
};

export const endpoints: KindRules = {
  createOnUpdate: true,
  default: (object) =>
    changeEach(object, 'subsets', (subset) => changeEach(subset, 'ports', (port) => fill(port, { protocol: 'TCP' }))),
  validate: (object) => subsetProblems(readAs<Endpoints>(object)),
};

export const endpointSlice: KindRules = {
  generation: 'content and labels',
  default: (object) => changeEach(object, 'ports', (port) => fill(port, { name: '', protocol: 'TCP' })),
  prepareForCreate: withoutEmptyLists,
  prepareForUpdate: withoutEmptyLists,
  validate: (object) => sliceProblems(readAs<EndpointSlice>(object)),
  validateUpdate: (object, old) =>
    object.addressType === old.addressType
      ? []
      : [invalidValue('addressType', object.addressType, 'field is immutable')],
};
