/**
 * Admission by webhooks: those that may change an object are asked one after the other, those that judge it all at once.
 *
 * Promises: each sees what those before it made of the object, in the version that it asks for. One that may be asked again
 * is, once, when another has changed the object since. What a webhook cannot answer is refused, unless its failure policy
 * lets it pass. Audit annotations are read and dropped: this server keeps no audit log.
 */
import { equalJson } from '@keelson/core';
import type { ApiObject } from '../../object.ts';
import { apiVersionOf, type Resource } from '../../resource/resource.ts';
import { internalError } from '../../status.ts';
import type { AdmissionContext } from '../admission.ts';
import { type Attributes, kindOf } from '../attributes.ts';
import type { LateAdmitter, Mutation } from '../late-admission.ts';
import { isExempt, matchOf, mayMatch } from '../match.ts';
import { meetsConditions } from '../match-conditions.ts';
import { unversioned, versioned } from '../versioned.ts';
import { type Asking, askHook, HookFailure, type Question } from './ask-hook.ts';
import { type Hook, type HookType, hooksOf } from './hook.ts';
import { patched } from './patched.ts';

export type WebhookContext = Pick<AdmissionContext, 'objects' | 'registry' | 'authoriser'> & Asking;

/** Those that change objects, and those that judge them: policies stand between the two. */
export function webhookAdmission(context: WebhookContext): { mutating: LateAdmitter; validating: LateAdmitter } {
  const handles =
    (type: HookType): LateAdmitter['handles'] =>
    ({ resource, subresource }, operation) =>
      hooksOf(context.objects, type).some(({ criteria }) =>
        mayMatch(criteria.rules, resource, subresource, operation),
      ) && !isExempt({ kind: kindOf(resource, subresource) });
  return {
    mutating: { handles: handles('mutating'), mutation: () => mutation(context) },
    validating: { handles: handles('validating'), validate: (attributes) => validate(context, attributes) },
  };
}

/** `undefined` where the webhook is not concerned. */
async function questionOf(context: WebhookContext, hook: Hook, attributes: Attributes): Promise<Question | undefined> {
  const match = matchOf(context, hook.criteria, attributes);
  if (match === undefined) return undefined;
  const question = { attributes, match, objects: await versioned(attributes, match) };
  return meetsConditions(context.authoriser, hook, question) ? question : undefined;
}

/** The webhooks of one write, with what is remembered between its two rounds. */
function mutation(context: WebhookContext): Mutation {
  const isKnown = (kind: string, apiVersion: string) =>
    context.registry.all().some((each: Resource) => each.kind === kind && apiVersionOf(each) === apiVersion);
  const repeatable = new Set<string>();
  const repeated = new Set<string>();
  let last: ApiObject | undefined;
  const repeatAll = () => {
    for (const id of repeatable) repeated.add(id);
    repeatable.clear();
  };
  return async (attributes, isRepeated) => {
    if (isExempt(attributes)) return { object: attributes.object, mustRepeat: false };
    let { object } = attributes;
    let mustRepeat = false;
    if (isRepeated && !equalJson(object, last)) repeatAll();
    for (const hook of hooksOf(context.objects, 'mutating')) {
      const current = { ...attributes, object };
      const question = await questionOf(context, hook, current);
      // Whoever was not concerned in the first round is not asked in the second.
      if (question === undefined || (isRepeated && !repeated.has(hook.id))) continue;
      const { match, objects } = question;
      try {
        const response = await askHook(context, hook, question, true);
        const changed = patched(hook, response, { object: objects.object, match, isKnown });
        if (changed !== undefined) {
          if (!equalJson(changed, objects.object)) {
            repeatAll();
            mustRepeat = true;
          }
          object = await unversioned(current, match, changed);
        }
      } catch (error) {
        failed(hook, error);
      }
      if (hook.isRepeatable) repeatable.add(hook.id);
    }
    last = object;
    return { object, mustRepeat };
  };
}

async function validate(context: WebhookContext, attributes: Attributes): Promise<void> {
  if (isExempt(attributes)) return;
  const asked: (readonly [Hook, Question])[] = [];
  for (const hook of hooksOf(context.objects, 'validating')) {
    const question = await questionOf(context, hook, attributes);
    if (question !== undefined) asked.push([hook, question]);
  }
  // All of them are waited for; of several refusals the first one is told.
  let refusal: { readonly error: unknown } | undefined;
  await Promise.all(
    asked.map(async ([hook, question]) => {
      try {
        await askHook(context, hook, question, false).catch((error: unknown) => failed(hook, error));
      } catch (error) {
        refusal ??= { error };
      }
    }),
  );
  if (refusal !== undefined) throw refusal.error;
}

/** A webhook whose failures are ignored is passed over; everything else is refused. */
function failed(hook: Hook, error: unknown): void {
  if (!(error instanceof HookFailure)) throw error;
  if (hook.failurePolicy !== 'Ignore') throw internalError(error.message);
}
