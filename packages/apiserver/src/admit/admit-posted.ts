/** What is posted and not stored, such as an eviction, a binding or a question, is admitted as the object that it is. */
import type { ApiObject } from '../object.ts';
import type { Write } from '../resource/write.ts';
import { attributesOf, type Operation } from './attributes.ts';
import type { LateAdmission } from './late-admission.ts';

/** As admitters let it pass; throws a refusal. */
export async function admitPosted(
  { lateAdmission }: { readonly lateAdmission?: LateAdmission | undefined },
  write: Write,
  sent: ApiObject,
  operation: Operation = 'CREATE',
): Promise<ApiObject> {
  if (lateAdmission === undefined || !lateAdmission.handles(write, operation)) return sent;
  const attributes = (object: ApiObject) => ({ ...attributesOf(write, operation, { object, old: undefined }), object });
  const object = await lateAdmission.mutate(attributes(sent));
  await lateAdmission.validate(attributes(object));
  return object;
}
