/** The body of a PATCH: which of the four types it is, and what it says. */

import { assertBodySize, bodyText, mediaTypeOf, type Parsed, parseJson, parseYaml } from '../decode/body.ts';
import { type WriteOptions, writeOptions } from '../decode/options.ts';
import { JsonSyntaxError } from '../decode/strict-json.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../status.ts';
import type { Call } from './call.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface ReadPatch {
  readonly type: PatchType;
  readonly options: WriteOptions;
  readonly parsed: Parsed;
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export async function readPatch(call: Call): Promise<ReadPatch> {
  const { request } = call;
  const type = patchTypeOf(call);
  assertBodySize(request);
  const options = writeOptions(request.query, 'PatchOptions', type === 'apply');
  return { type, options, parsed: await parsePatch(bodyText(request), type, options) };
}

function patchTypeOf({ request, resource }: Call): PatchType {
  const mediaType = mediaTypeOf(request);
  const type = Object.hasOwn(patchTypes, mediaType) ? patchTypes[mediaType] : undefined;
  if (type === 'strategic' && resource.strategy.patchSchema() === undefined) {
    throw unsupportedMediaType(Object.keys(patchTypes).filter((each) => patchTypes[each] !== 'strategic'));
  }
  if (type !== undefined) return type;
  if (resource.strategy.custom) {
    throw unsupportedMediaType(Object.keys(patchTypes).filter((each) => patchTypes[each] !== 'strategic'));
  }
  throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

async function parsePatch(text: string, type: PatchType, { fieldValidation }: WriteOptions): Promise<Parsed> {
  const strict = fieldValidation !== 'Ignore';
  try {
    const parsed = type === 'apply' ? await parseYaml(text, strict) : parseJson(text, strict);
    const { overflow } = parsed;
    if (overflow === undefined) return parsed;
    const place = type === 'json' ? 'struct field jsonPatchOp.value' : 'value';
    throw new JsonSyntaxError(`json: cannot unmarshal number ${overflow} into Go ${place} of type float64`);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (type === 'strategic') throw badRequest(error.message);
    throw badRequest(`error decoding ${type === 'apply' ? 'YAML' : 'patch'}: ${error.message}`);
  }
}
