/** DELETE of an object. */
import { bodyText, mediaTypeOf, mediaTypes, parseJson, parseProtobuf, parseYaml } from '../decode/body.ts';
import { type DeleteRequestOptions, deleteOptions } from '../decode/options.ts';
import { ProtobufError } from '../decode/protobuf.ts';
import { JsonSyntaxError } from '../decode/strict-json.ts';
import type { Representation } from '../encode/representation.ts';
import { isObject, type JsonObject } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import { badRequest, notFound, resourceNamed, unsupportedMediaType } from '../status.ts';
import { type Deleted, deleteObject } from '../write/delete.ts';
import { type Call, writeOf } from './call.ts';
import type { Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';

export async function deleteOne(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name } = call;
  const represent = representing(context, call, false);
  const options = deleteOptions(request.query, await optionsBody(call));
  const deleted = await deleteObject(context, writeOf(call, options), keyIn(namespace, name), options);
  if (deleted === undefined) throw notFound(resourceNamed(resource), name);
  return response(resource, represent, deleted, options);
}

function response(
  resource: Resource,
  represent: Representation,
  deleted: Deleted,
  options: DeleteRequestOptions,
): ApiResponse | Promise<ApiResponse> {
  // Clients that said so in the old way are told apart what is gone and what is on its way.
  const code = !deleted.gone && options.orphanDependents === false ? 202 : 200;
  if (deleted.showsObject) return objectResponse(code, represent, deleted.revision);
  const { name, uid } = deleted.revision.object.metadata;
  const { group, resource: kind } = resource;
  return jsonResponse(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind, uid },
  });
}

const deleteOptionsSchema = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

export async function optionsBody({ request }: Call): Promise<JsonObject | undefined> {
  const text = bodyText(request);
  if (text === '') return undefined;
  const mediaType = mediaTypeOf(request);
  if (mediaType !== '' && !mediaTypes.includes(mediaType)) throw unsupportedMediaType(mediaTypes);
  try {
    const { value } =
      mediaType === 'application/vnd.kubernetes.protobuf'
        ? parseProtobuf(request, () => deleteOptionsSchema)
        : mediaType === 'application/yaml'
          ? await parseYaml(text, false)
          : parseJson(text, false);
    if (value === null) return {};
    if (!isObject(value)) throw badRequest('decoded object cannot be converted to DeleteOptions');
    if (value.kind !== undefined && value.kind !== null && value.kind !== '' && value.kind !== 'DeleteOptions') {
      throw badRequest(`decoded object cannot be converted to DeleteOptions`);
    }
    return value;
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}
