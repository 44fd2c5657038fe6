/** An object in another version of its resource. */
import type { ApiObject } from '../object.ts';
import { converted } from './conversions.ts';
import { forRequest, type Resource } from './resource.ts';

/** Between versions of one resource, or between resources that share their objects. */
export async function convert(object: ApiObject, from: Resource, to: Resource): Promise<ApiObject> {
  if (from === to) return object;
  const [source, target] = [forRequest(from), forRequest(to)];
  return await converted(() => target.strategy.fromStorage(source.strategy.toStorage(object)));
}
