/** An update or an apply that makes its object needs the right to make one, too. */
import { refusal } from '../authorise/attributes.ts';
import { isPrivileged } from '../request/user.ts';
import type { Write } from '../resource/write.ts';
import type { AdmissionContext } from './admission.ts';

export function assertMayCreate({ authoriser }: AdmissionContext, write: Write): void {
  const { user, verb, resource, namespace, name } = write;
  if (verb === 'create' || isPrivileged(user)) return;
  const { group, resource: plural } = resource;
  const wanted = {
    type: 'resource',
    verb: 'create',
    group,
    resource: plural,
    subresource: '',
    namespace,
    name,
  } as const;
  const { allowed, reason } = authoriser.decide(user, wanted);
  if (!allowed) throw refusal(user, wanted, reason);
}
