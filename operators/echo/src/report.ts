/** Writes what a user is told: the status, if it says something new, and Events. */
import { equalJson, type Kind } from '@keelson/core';
import { type EchoContext, manager } from './context.ts';
import { newsOf, type Reported, statusOf, type Told } from './status.ts';

export async function report(context: EchoContext, kind: Kind, object: Reported, told: Told): Promise<void> {
  const { name, namespace } = object.metadata;
  const status = statusOf(object, told, context.clock.now());
  if (equalJson(status, object.status)) return;
  const metadata = { name, namespace, uid: object.metadata.uid };
  await context.client.applySubresource(kind, 'status', { metadata, status }, { fieldManager: manager, force: true });
  for (const event of newsOf(object, told)) context.record(object, event);
}
