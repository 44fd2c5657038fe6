/**
 * One AdmissionReview answered by one webhook: the request in, the response out.
 *
 * Promises: what `default` returned becomes a JSON patch against the object as it was sent, so what we do not know of it
 * stays. An update that changes nothing but metadata of an object that is being deleted is let through unasked: a
 * refusal there would keep its finalizers, and so the object, for ever. Whatever the author's code throws is
 * passed on; the caller decides what becomes of that.
 */
import {
  type AdmissionOperation,
  type CacheView,
  type Clock,
  createJsonPatch,
  equalJson,
  isObject,
  type JsonObject,
  type Kind,
  type Status,
} from '@keelson/core';
import type { UserInfo } from '@keelson/core/authentication/v1';
import type { Logger } from '../log/logger.ts';
import { shown } from '../log/thrown.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type Finding, isCause, isWarning, refusal } from './finding.ts';
import type { Webhook } from './webhook.ts';

/** `request` of an AdmissionReview, as far as it counts here. */
export interface ReviewRequest {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** Of the object, which for a subresource may be another than that of the webhook. */
  readonly kind?: Pick<Kind, 'group' | 'kind'> | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userInfo: UserInfo;
  readonly object?: JsonObject | null | undefined;
  readonly oldObject?: JsonObject | null | undefined;
  readonly dryRun?: boolean | undefined;
  readonly options?: JsonObject | null | undefined;
}

/** `response` of an AdmissionReview. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patchType?: 'JSONPatch';
  /** In base64. */
  readonly patch?: string;
  readonly status?: Status;
  readonly warnings?: readonly string[];
}

/** What a webhook has at hand beside the request. */
export interface AdmissionParts {
  readonly cache: CacheView<Kind>;
  readonly settings: unknown;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Asks the part of the webhook that a path names. */
export async function admit(
  part: 'mutate' | 'validate',
  webhook: Webhook,
  review: ReviewRequest,
  parts: AdmissionParts,
): Promise<ReviewResponse> {
  const { uid } = review;
  if (isFarewell(review)) return { uid, allowed: true };
  const request = requestOf(review, webhook, parts);
  return part === 'mutate' ? mutate(webhook, review, request) : validate(webhook, review, request);
}

type AnyRequest = AdmissionRequest<never, never>;

async function mutate(webhook: Webhook, { uid, object }: ReviewRequest, request: AnyRequest): Promise<ReviewResponse> {
  const { filled, warnings = [] } = filledBy(await webhook.default?.(request));
  const allowed: ReviewResponse = { uid, allowed: true, ...(warnings.length > 0 && { warnings }) };
  if (filled === undefined || !isObject(object)) return allowed;
  const operations = createJsonPatch(object, filled);
  if (operations.length === 0) return allowed;
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { ...allowed, patchType: 'JSONPatch', patch };
}

/** No object of Kubernetes has warnings and no metadata. */
function filledBy(value: unknown): { readonly filled?: JsonObject; readonly warnings?: readonly string[] } {
  const isTold = isObject(value) && Array.isArray(value.warnings) && value.metadata === undefined;
  const { object: filled = undefined, warnings = [] } = isTold ? value : { object: value };
  const areTexts = (warnings as readonly unknown[]).every((each) => typeof each === 'string');
  if (!areTexts || (filled !== undefined && !isObject(filled))) {
    throw new TypeError(`default must return the object or nothing, with warnings or not; it returned ${shown(value)}`);
  }
  return { ...(filled !== undefined && { filled }), warnings: warnings as readonly string[] };
}

async function validate(webhook: Webhook, review: ReviewRequest, request: AnyRequest): Promise<ReviewResponse> {
  const { uid, kind = webhook.for, name = '', object, oldObject } = review;
  const findings: unknown = (await webhook.validate?.(request)) ?? [];
  if (!Array.isArray(findings) || !findings.every(isFinding)) {
    throw new TypeError(
      `validate must return a list of causes and warnings, or nothing; it returned ${shown(findings)}`,
    );
  }
  const warned = findings.filter(isWarning).map(({ warning }) => warning);
  const warnings = warned.length > 0 ? { warnings: warned } : {};
  const causes = findings.filter(isCause);
  if (causes.length === 0) return { uid, allowed: true, ...warnings };
  const refused = { kind, name, object: object ?? oldObject ?? {} };
  return { uid, allowed: false, status: refusal(refused, causes), ...warnings };
}

function isFinding(value: unknown): value is Finding<never> {
  if (!isObject(value)) return false;
  const texts = [value.message, value.warning].filter((text) => text !== undefined);
  return texts.length > 0 && texts.every((text) => typeof text === 'string');
}

/** Only finalizers and the like change, on an object that is going. */
function isFarewell({ operation, object, oldObject }: ReviewRequest): boolean {
  if (operation !== 'UPDATE' || !isObject(object) || !isObject(oldObject)) return false;
  if (!isObject(object.metadata) || object.metadata.deletionTimestamp === undefined) return false;
  return equalJson({ ...object, metadata: null }, { ...oldObject, metadata: null });
}

function requestOf(review: ReviewRequest, webhook: Webhook, parts: AdmissionParts): AnyRequest {
  const { operation, name, namespace, userInfo, object, oldObject, dryRun = false, options } = review;
  return {
    operation,
    name: name || undefined,
    namespace: namespace || undefined,
    ...(object && { object: frozen(object) }),
    ...(oldObject && { oldObject: frozen(oldObject) }),
    user: userInfo,
    dryRun,
    options: options ?? {},
    cache: parts.cache,
    settings: webhook.settings && parts.settings,
    logger: parts.logger,
    clock: parts.clock,
    signal: parts.signal,
  } as unknown as AnyRequest;
}

/** The value itself, with nothing in it that can be changed. */
function frozen<T extends JsonObject>(value: T): T {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const member of Object.values(Object.freeze(next))) open.push(member);
  }
  return value;
}
