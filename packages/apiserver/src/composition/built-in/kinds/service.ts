/** Services: defaults, and addresses and ports from the cluster's ranges. */

import type { Random } from '@keelson/core';
import type { Service } from '@keelson/core/v1';
import {
  duplicateValue,
  invalidValue,
  label1035Problems,
  labelProblems,
  orPrefix,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, at, compact, type JsonObject, put, readAs } from '../../../object.ts';
import type { StrategyContext } from '../../../resource/resource.ts';
import { serviceTable } from '../tables/core.ts';
import { change, changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const asService = (object: ApiObject): Service => readAs<Service>(object);
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

function defaults(spec: JsonObject): JsonObject {
  let result = fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  result = changeEach(result, 'ports', (port) =>
    fill(port.targetPort === 0 || port.targetPort === '' ? { ...port, targetPort: undefined } : port, {
      protocol: 'TCP',
      targetPort: port.port,
    }),
  );
  const external = result.type === 'NodePort' || result.type === 'LoadBalancer';
  if (external) result = fill(result, { externalTrafficPolicy: 'Cluster' });
  if (result.type !== 'ExternalName') result = fill(result, { internalTrafficPolicy: 'Cluster' });
  if (result.type === 'LoadBalancer') result = fill(result, { allocateLoadBalancerNodePorts: true });
  if (result.sessionAffinity === 'ClientIP') {
    result = fill(result, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } });
  }
  return result;
}

/** A free address of 10.96.0.0/16, as far from the others as chance brings it; the first one is the API server's. */
function freeAddress(random: Random, taken: ReadonlySet<string>): string {
  const size = 65_533;
  const first = Math.floor(random.next() * size);
  for (let step = 0; step < size; step += 1) {
    const number = 2 + ((first + step) % size);
    const address = `10.96.${number >> 8}.${number & 255}`;
    if (!taken.has(address)) return address;
  }
  throw new RangeError('no service address is left');
}

function freePort(random: Random, taken: Set<number>): number {
  const size = 2768;
  const first = Math.floor(random.next() * size);
  for (let step = 0; step < size; step += 1) {
    const port = 30_000 + ((first + step) % size);
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
  throw new RangeError('no node port is left');
}

/** Gives a service what its type needs and it has not been given. */
function allocate(object: ApiObject, { random, list }: StrategyContext): ApiObject {
  const { spec } = asService(object);
  if (spec === undefined || spec.type === 'ExternalName') return object;
  const others = [...list('services')].map(asService).filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const addresses = new Set(others.flatMap((other) => other.spec?.clusterIPs ?? []));
  const address = spec.clusterIP ?? spec.clusterIPs?.[0] ?? freeAddress(random, addresses);
  let result = change(object, 'spec', (inner) => ({
    ...inner,
    clusterIP: address,
    clusterIPs: [address],
    ipFamilies: inner.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: inner.ipFamilyPolicy ?? 'SingleStack',
  }));
  if (spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)) {
    const ports = new Set(
      others.flatMap((other) => (other.spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? [])),
    );
    result = change(result, 'spec', (inner) =>
      changeEach(inner, 'ports', (port) =>
        port.nodePort === undefined ? { ...port, nodePort: freePort(random, ports) } : port,
      ),
    );
  }
  return result;
}

function problems(object: ApiObject): readonly Problem[] {
  const { spec = {} } = asService(object);
  const { ports = [], type = '', clusterIP } = spec;
  const causes: Problem[] = [];
  if (ports.length === 0 && clusterIP !== 'None' && type !== 'ExternalName') causes.push(required('spec.ports'));
  const names = new Set<string>();
  ports.forEach(({ name, port, protocol, targetPort }, index) => {
    const field = `spec.ports[${index}]`;
    if (name === undefined) {
      if (ports.length > 1) causes.push(required(`${field}.name`));
    } else {
      for (const problem of labelProblems(name)) causes.push(invalidValue(`${field}.name`, name, problem));
      if (names.has(name)) causes.push(duplicateValue(`${field}.name`, name));
      names.add(name);
    }
    for (const [at, value] of [
      ['port', port],
      ['targetPort', targetPort],
    ] as const) {
      if (typeof value === 'number' && (value < 1 || value > 65_535)) {
        causes.push(invalidValue(`${field}.${at}`, value, 'must be between 1 and 65535, inclusive'));
      }
    }
    if (!['SCTP', 'TCP', 'UDP'].includes(protocol ?? '')) {
      causes.push(unsupportedValue(`${field}.protocol`, protocol ?? '', ['SCTP', 'TCP', 'UDP']));
    }
  });
  if (!types.includes(type)) causes.push(unsupportedValue('spec.type', type, types));
  return causes;
}

export const service: KindRules = {
  default: (object) => change(object, 'spec', (spec) => compact(defaults(spec))),
  prepareForCreate: allocate,
  /** An update that leaves out what was allocated keeps it. */
  prepareForUpdate(object, old, context) {
    const before = asService(old).spec;
    let result = object;
    const headless = (at(object, 'spec', 'type') ?? 'ClusterIP') === 'ExternalName';
    if (!headless) {
      for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
        if (at(result, 'spec', name) === undefined && before?.[name] !== undefined) {
          result = put(result, ['spec', name], before[name]);
        }
      }
    }
    return allocate(result, context);
  },
  validate: problems,
  validateUpdate(object, old) {
    const [before, after] = [asService(old).spec, asService(object).spec];
    if (before?.clusterIP === undefined || before.clusterIP === after?.clusterIP || after?.type === 'ExternalName')
      return [];
    return [invalidValue('spec.clusterIPs[0]', after?.clusterIPs ?? null, 'may not change once set')];
  },
  nameProblems: orPrefix(label1035Problems),
  createOnUpdate: true,
  returnsDeleted: true,
  fields: {
    'spec.clusterIP': (object) => String(at(object, 'spec', 'clusterIP') ?? ''),
    'spec.type': (object) => String(at(object, 'spec', 'type') ?? ''),
  },
  shortUnknownField: true,
  table: serviceTable,
};
