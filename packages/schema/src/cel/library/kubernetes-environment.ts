/** What rules of CRDs can use: CEL itself, and the libraries of Kubernetes 1.36. */
import { type Environment, environment } from '../language/environment.ts';
import * as types from '../language/types.ts';
import { addresses } from './addresses.ts';
import { conversions } from './conversions.ts';
import { lists } from './lists.ts';
import { namedFormats } from './named-formats.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantity.ts';
import { regex } from './regex.ts';
import { semvers } from './semver.ts';
import { sets } from './sets.ts';
import { strings } from './strings.ts';
import { times } from './times.ts';
import { urls } from './urls.ts';

const identifiers = new Map(
  (
    [
      ['bool', types.bool],
      ['bytes', types.bytes],
      ['double', types.double],
      ['int', types.int],
      ['list', types.list(types.dyn)],
      ['map', types.map(types.dyn, types.dyn)],
      ['null_type', types.nullType],
      ['string', types.string],
      ['type', { kind: 'type', params: [] }],
      ['uint', types.uint],
      ['optional_type', types.optional(types.dyn)],
      ['google.protobuf.Timestamp', types.timestamp],
      ['google.protobuf.Duration', types.duration],
      ['net.IP', types.opaque('net.IP')],
      ['net.CIDR', types.opaque('net.CIDR')],
      ['kubernetes.Quantity', types.struct('kubernetes.Quantity')],
      ['kubernetes.URL', types.struct('kubernetes.URL')],
      ['kubernetes.Semver', types.struct('kubernetes.Semver')],
      ['kubernetes.NamedFormat', types.struct('kubernetes.NamedFormat')],
    ] as const
  ).map(([name, type]) => [name, types.typeOf(type)] as const),
);

/** All functions and types that rules of CRDs can use. */
export const kubernetesEnvironment: Environment = environment(
  [
    operators,
    conversions,
    strings,
    times,
    lists,
    sets,
    regex,
    optionals,
    quantities,
    urls,
    addresses,
    semvers,
    namedFormats,
  ],
  identifiers,
);
