/** One question to one webhook. */
import type { Random } from '@keelson/core';
import type { JsonObject } from '../../object.ts';
import { badRequest } from '../../status.ts';
import { CallError, ClientError } from '../../webhooks/call-error.ts';
import type { WebhookCaller } from '../../webhooks/caller.ts';
import { admissionRequest } from '../admission-request.ts';
import type { Attributes } from '../attributes.ts';
import type { Match } from '../match.ts';
import type { Versioned } from '../versioned.ts';
import {
  type AdmissionResponse,
  denial,
  type ReviewVersion,
  readResponse,
  responseProblem,
} from './admission-response.ts';
import type { Hook } from './hook.ts';

/** It could not be asked, or gave no answer that can be used; what follows is the failure policy's to say. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';

  constructor({ name }: Hook, why: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(name)}: ${why}`, options);
  }
}

export interface Asking {
  readonly caller: WebhookCaller;
  readonly random: Random;
}

/** What it is asked about: the write, and the objects in the version that the webhook wants. */
export interface Question {
  readonly attributes: Attributes;
  readonly match: Match;
  readonly objects: Versioned;
}

/** The answer of a webhook that allows the write; throws a `HookFailure`, or the refusal. */
export async function askHook(
  { caller, random }: Asking,
  hook: Hook,
  { attributes, match, objects }: Question,
  isMutating: boolean,
): Promise<AdmissionResponse> {
  const { name, sideEffects, clientConfig, timeoutSeconds } = hook;
  if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const version = hook.reviewVersions.find((each) => each === 'v1' || each === 'v1beta1') as ReviewVersion | undefined;
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new HookFailure(hook, `could not create admission objects: ${why}`);
  }
  const uid = random.uuid();
  const review: JsonObject = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...admissionRequest(attributes, match),
      object: objects.object ?? null,
      oldObject: objects.old ?? null,
    },
  };
  let response: AdmissionResponse | undefined;
  try {
    response = readResponse(await caller.ask(clientConfig, review, timeoutSeconds), version);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const step = error instanceof ClientError ? 'could not get REST client' : 'failed to call webhook';
    throw new HookFailure(hook, `${step}: ${error.message}`, { cause: error });
  }
  const problem = responseProblem(response, { uid, version, isMutating });
  if (problem !== undefined || response === undefined) {
    throw new HookFailure(hook, `received invalid webhook response: ${problem}`);
  }
  attributes.warnings.push(...(response.warnings ?? []));
  if (response.allowed !== true) throw denial(name, response.status);
  return response;
}
