/** Replays recorded writes on our functions, and compares each answer. */
import assert from 'node:assert/strict';
import {
  applyObject,
  managedFieldsAfterScale,
  scaleManagedFields,
  updateManagedFields,
  withoutNoOpTimestamps,
} from '../../src/apply/index.ts';
import { StrategicPatchError, strategicMergePatch } from '../../src/patch/index.ts';
import { comparable, withoutAdmitted } from './comparable.ts';
import {
  type Answer,
  type Json,
  type Recording,
  resources,
  type Step,
  sentManagedFields,
  withName,
} from './recording.ts';
import { patchSchemaOf, scaleType, typeOf } from './types.ts';

interface Replay {
  readonly recording: Recording;
  readonly step: Step;
  readonly live: Json | undefined;
  readonly answer: Answer;
  readonly where: string;
}

export function replay(recording: Recording): void {
  let live: Json | undefined;
  for (const [index, step] of recording.steps.entries()) {
    const answer = recording.answers[index] as Answer;
    if (live && step.version) live = { ...live, apiVersion: `recorded.example.com/${step.version}` };
    const one = { recording, step, live, answer, where: `step ${index} (${step.verb})` };
    if (step.verb === 'apply' && step.subresource !== 'scale') replayApply(one);
    if (step.verb === 'strategic' && recording.resource !== 'gadgets') replayStrategic(one);
    if (step.verb !== 'apply' && step.subresource !== 'scale') replayUpdate(one);
    if (step.subresource === 'scale') replayScale(one);
    if (answer.live) live = answer.live;
    else if (answer.status < 300) live = answer.body;
  }
}

function replayApply({ recording: { name, resource }, step, live, answer, where }: Replay): void {
  const { status, body } = answer;
  if (status === 404) return;
  const { manager, force, subresource, version } = step;
  const type = typeOf(resource, subresource, version);
  const applied = withName(step.body as Json, type.apiVersion, type.kind, name);
  const result = applyObject({ type, live, applied, manager, force, subresource, now: newestTime(body) });
  if (status === 409) {
    assert.equal(result.type, 'conflict', where);
    assert.deepEqual([result.message, sorted(result.causes)], [body.message, sorted(causesOf(answer))], where);
  } else if (status === 400 || status === 500) {
    assert.deepEqual(result, { type: 'refused', code: status, message: body.message }, where);
  } else {
    assert.equal(result.type, 'applied', `${where}: ${JSON.stringify(result)}`);
    if (status === 422) return; // what validation said of the result is not our matter
    const object = live === undefined ? result.object : withoutNoOpTimestamps(live, result.object);
    assert.deepEqual(managedFieldsOf(object), managedFieldsOf(body), where);
    compareParts(object, { recording: { resource } as Recording, step, live, answer, where });
  }
}

/** `after` is what the server stored: close to what it saw when it decided on owners. */
function replayUpdate({ recording: { resource }, step, live, answer: { status, body }, where }: Replay): void {
  if (status >= 300) return;
  const sent = sentManagedFields(step, live);
  // Decoding a custom resource drops empty lists from its metadata.
  const managedFields = resource === 'gadgets' && Array.isArray(sent) && sent.length === 0 ? undefined : sent;
  const after: Json = { ...body, metadata: { ...(body.metadata as Json), managedFields } };
  if (step.verb === 'create' && after.spec) after.spec = withoutAdmitted(after.spec);
  const { manager, subresource, version } = step;
  const type = typeOf(resource, subresource, version);
  const updated = updateManagedFields({ type, before: live, after, manager, subresource, now: newestTime(body) });
  const kept = live === undefined ? updated : withoutNoOpTimestamps(live, updated);
  assert.deepEqual(managedFieldsOf(kept), managedFieldsOf(body), where);
}

function replayScale({
  recording: { resource },
  step,
  live,
  answer: { status, body, live: after },
  where,
}: Replay): void {
  if (status === 500) return; // a custom resource's scale cannot be applied: the real server fails to convert it
  const { apiVersion } = resources[resource];
  const paths = { [apiVersion]: '.spec.replicas' };
  const entries = live && managedFieldsOf(live);
  const scale = (managedFields: unknown, spec: unknown) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { ...(live?.metadata as Json), managedFields },
    spec,
  });
  const before = scale(scaleManagedFields(entries, paths), { replicas: (live?.spec as Json | undefined)?.replicas });
  const request = { type: scaleType, manager: step.manager, subresource: 'scale', now: newestTime(after ?? {}) };
  if (step.verb === 'apply') {
    const result = applyObject({ ...request, live: before, applied: step.body as Json, force: step.force });
    if (status === 409) {
      assert.deepEqual([result.type, 'message' in result && result.message], ['conflict', body.message], where);
      return;
    }
    assert.equal(result.type, 'applied', where);
    const written = managedFieldsAfterScale(entries, managedFieldsOf(result.object), apiVersion, paths);
    assert.deepEqual(written, after && managedFieldsOf(after), where);
  } else {
    const wanted = scale(undefined, (step.body as Json).spec);
    const updated = updateManagedFields({ ...request, before, after: wanted });
    const written = managedFieldsAfterScale(entries, managedFieldsOf(updated), apiVersion, paths);
    assert.deepEqual(written, after && managedFieldsOf(after), where);
  }
}

function replayStrategic(replay: Replay): void {
  const { recording, step, live, answer, where } = replay;
  const patch = () => strategicMergePatch(live ?? {}, step.body as Json, patchSchemaOf(recording.resource));
  if (answer.status < 300) {
    compareParts(patch(), replay);
  } else if (String(answer.body.message).match(/undeterminable|^ "" is invalid/)) {
    assert.doesNotThrow(patch, where); // decoding refused the result
  } else {
    assert.throws(patch, new StrategicPatchError(answer.status as 400, String(answer.body.message)), where);
  }
}

function compareParts(
  object: { readonly [name: string]: unknown },
  { recording, step, live, answer, where }: Replay,
): void {
  for (const part of step.subresource === 'status' ? ['status'] : ['spec', 'data', 'metadata']) {
    const [ours, theirs] = comparable(object[part], answer.body[part], recording.resource, live === undefined);
    assert.deepEqual(ours, theirs, `${where} ${part}`);
  }
}

function managedFieldsOf(object: { readonly [name: string]: unknown }): unknown {
  return (object.metadata as Json).managedFields;
}

/** The time of the request, if it left one. */
function newestTime(object: Json): string {
  const entries = ((object.metadata as Json | undefined)?.managedFields ?? []) as { time?: string }[];
  return entries.reduce((newest, { time = '' }) => (time > newest ? time : newest), '2026-01-01T00:00:00Z');
}

function causesOf({ body }: Answer): unknown[] {
  return ((body.details as Json).causes ?? []) as unknown[];
}

/** Of several managers, the server lists one or the other first, by chance. */
function sorted(causes: readonly unknown[]): unknown[] {
  return causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
