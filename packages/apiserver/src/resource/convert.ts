/** An object in another version of its resource. */
import type { ApiObject } from '../object.ts';
import type { Resource } from './resource.ts';

/** Between versions of one resource, or between resources that share their objects. */
export function convert(object: ApiObject, from: Resource, to: Resource): ApiObject {
  return from === to ? object : to.strategy.fromStorage(from.strategy.toStorage(object));
}
