/** How what an admitter made of an object is read: as the resource's own kind, or as the one that a subresource takes. */
import type { ObjectType } from '../apply/index.ts';
import { decodeGo } from '../decode/go-json.ts';
import { goType } from '../decode/go-types.ts';
import { type ApiObject, isObject, type JsonObject } from '../object.ts';
import { schemaNameOf } from '../openapi/documents.ts';
import { apiVersionOf, type Strategy } from '../resource/resource.ts';
import type { Match } from './match.ts';

/** What is known of such objects; a Scale has no defaults, also where its resource is custom. */
export interface Body extends Pick<Strategy, 'custom' | 'decode' | 'default'> {
  /** By which a configuration is merged; none for what only a subresource takes. */
  objectType(): ObjectType | undefined;
}

export function bodyOf({ resource, kind: wanted }: Match): Body {
  const { strategy, group, version, kind } = resource;
  if (group === wanted.group && version === wanted.version && kind === wanted.kind) {
    return {
      custom: strategy.custom,
      decode: (sent) => strategy.decode(sent),
      default: (object) => strategy.default(object),
      objectType: () => strategy.objectType(''),
    };
  }
  const apiVersion = apiVersionOf(wanted);
  const named = { apiVersion, kind: wanted.kind };
  const type = goType(schemaNameOf(wanted));
  const read = (sent: JsonObject) => (type === undefined ? { value: sent, unknown: [] } : decodeGo(sent, type));
  return {
    custom: false,
    decode(sent) {
      const { value, unknown } = read(sent);
      const metadata = isObject(value.metadata) ? (value.metadata as ApiObject['metadata']) : {};
      return { object: { ...value, ...named, metadata } as ApiObject, unknown };
    },
    default: (object) => object,
    objectType: () => undefined,
  };
}
