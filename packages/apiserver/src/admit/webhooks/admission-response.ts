/** What a webhook said: its answer read as Go reads it, and refused where it is no answer to the question. */
import { decodeGo, GoJsonError } from '../../decode/go-json.ts';
import { type GoField, type GoType, goType } from '../../decode/go-types.ts';
import { isObject, type JsonObject } from '../../object.ts';
import { StatusError } from '../../status.ts';
import { CallError } from '../../webhooks/call-error.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

export interface AdmissionResponse {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Partial<StatusError['status']>;
  /** JSON in base64. */
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

const optional = (value: GoType, pointer = false): GoField => ({ value, pointer, omitEmpty: true, omitZero: false });
const text: GoType = { type: 'string', go: 'string' };

let reviewType: GoType | undefined;
/** OpenAPI documents have no reviews, which are never stored. */
function admissionReviewType(): GoType {
  const status = goType('io.k8s.apimachinery.pkg.apis.meta.v1.Status');
  if (status === undefined) throw new Error('Status is no Go struct');
  const response: GoType = {
    type: 'struct',
    go: 'v1.AdmissionResponse',
    name: 'AdmissionResponse',
    fields: new Map([
      ['uid', optional({ type: 'string', go: 'types.UID' })],
      ['allowed', optional({ type: 'bool', go: 'bool' })],
      ['status', optional(status, true)],
      ['patch', optional({ type: 'bytes', go: '[]uint8' })],
      ['patchType', optional({ type: 'string', go: 'v1.PatchType' }, true)],
      ['auditAnnotations', optional({ type: 'map', go: 'map[string]string', item: text })],
      ['warnings', optional({ type: 'list', go: '[]string', item: text })],
    ]),
  };
  return {
    type: 'struct',
    go: 'v1.AdmissionReview',
    name: 'AdmissionReview',
    fields: new Map([
      ['kind', optional(text)],
      ['apiVersion', optional(text)],
      ['response', optional(response, true)],
    ]),
  };
}

const group = 'admission.k8s.io';

/** Throws a `CallError` for what is no review. */
export function readResponse(sent: JsonObject, version: ReviewVersion): AdmissionResponse | undefined {
  const { kind = 'AdmissionReview', apiVersion = `${group}/${version}` } = sent;
  if (kind !== 'AdmissionReview' || (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`)) {
    throw new CallError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (apiVersion !== `${group}/${version}`) {
    const other = String(apiVersion).slice(group.length + 1);
    throw new CallError(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  }
  try {
    reviewType ??= admissionReviewType();
    const { response } = decodeGo(sent, reviewType).value;
    return isObject(response) ? (response as AdmissionResponse) : undefined;
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    throw new CallError(error.message);
  }
}

/** What is wrong with an answer as one to this question; the older version was never looked at so closely. */
export function responseProblem(
  response: AdmissionResponse | undefined,
  { uid, version, isMutating }: { readonly uid: string; readonly version: ReviewVersion; readonly isMutating: boolean },
): string | undefined {
  if (response === undefined) return 'webhook response was absent';
  if (version === 'v1beta1') return undefined;
  const { uid: answered = '', patch = '', patchType } = response;
  if (answered !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`;
  if (!isMutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** The refusal of a webhook, in its own words behind its name. */
export function denial(name: string, status: AdmissionResponse['status'] = {}): StatusError {
  const { code = 0, reason = '', message = '', details, metadata = {} } = status;
  const said = message || reason;
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const text = said === '' ? `${denied} without explanation` : `${denied}: ${said}`;
  // No server can answer with a code above these.
  const refusal = new StatusError(code < 400 ? 400 : code > 599 ? 500 : code, reason, text, details);
  return Object.assign(refusal, { status: { ...refusal.status, metadata } });
}
