/**
 * `/openapi/v3`: the built-in documents as they are, and one for each version of a group of custom resources.
 * `/openapi/v2`: one document for all, made when somebody asks for it.
 */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { acceptClauses } from '../encode/negotiate.ts';
import type { JsonObject } from '../object.ts';
import { customDocument } from '../openapi/custom-document.ts';
import { builtInIndex, compressedDocument } from '../openapi/documents.ts';
import { gnosticDocument } from '../openapi/gnostic.ts';
import { openApiV2 } from '../openapi/version-2.ts';
import { type ApiRequest, type ApiResponse, jsonType } from '../request/exchange.ts';
import type { Registry } from '../resource/registry.ts';
import type { Resource } from '../resource/resource.ts';
import { notAcceptable } from '../status.ts';

const hashOf = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase();

/** What Go's clients ask for, and what the answer is called: the type with an @ in it is none. */
const gnosticType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const gnosticTypes = [gnosticType, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];

interface CustomDocument {
  readonly text: string;
  readonly hash: string;
}

/** The one document of version 2, in the forms that were asked for so far. */
class Version2 {
  readonly #json: Buffer;
  #gnostic: Buffer | undefined;
  readonly etag: string;

  constructor(document: JsonObject) {
    const text = JSON.stringify(document);
    this.#json = Buffer.from(text);
    this.etag = `"${hashOf(text)}"`;
  }

  bytes(type: string): Buffer {
    if (type === jsonType) return this.#json;
    this.#gnostic ??= gnosticDocument(JSON.parse(this.#json.toString()) as JsonObject);
    return this.#gnostic;
  }
}

/** Documents of custom resources, made again when what is served has changed. */
export class OpenApi {
  readonly #registry: Registry;
  #changeCount = -1;
  readonly #custom = new Map<string, CustomDocument>();
  #version2: Version2 | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  respond(request: ApiRequest): ApiResponse | undefined {
    if (request.path === '/openapi/v2') return this.#versionTwo(request);
    const match = /^\/openapi\/v3(?:\/(?<path>.+?))?\/?$/.exec(request.path);
    if (match === null) return undefined;
    const { accept } = request.headers;
    if (accept !== undefined && accept !== '' && !/application\/json|application\/\*|\*\/\*/.test(accept)) {
      throw notAcceptable(['application/json']);
    }
    const path = match.groups?.path;
    return path === undefined ? this.#index() : this.#document(request, path);
  }

  #versionTwo({ headers: { accept = '', 'if-none-match': known } }: ApiRequest): ApiResponse {
    const wanted = accept.trim() === '' ? ['*/*'] : acceptClauses(accept).map(({ mediaType }) => mediaType);
    const type = wanted.map(versionTwoType).find((each) => each !== undefined);
    const vary = 'Accept-Encoding, Accept';
    if (type === undefined) return { status: 406, headers: { vary, 'cache-control': 'no-cache, private' }, body: [] };
    this.#forgetOld();
    this.#version2 ??= new Version2(openApiV2(this.#registry.all().filter(({ strategy }) => strategy.custom)));
    const { etag } = this.#version2;
    const headers = { 'content-type': type, vary, 'cache-control': 'no-cache, private', etag };
    return known === etag
      ? { status: 304, headers: { vary, 'cache-control': 'no-cache, private', etag }, body: [] }
      : { status: 200, headers, body: [this.#version2.bytes(type)] };
  }

  /** What was made of custom resources that have changed since. */
  #forgetOld(): void {
    if (this.#changeCount === this.#registry.changeCount) return;
    this.#custom.clear();
    this.#version2 = undefined;
    this.#changeCount = this.#registry.changeCount;
  }

  #index(): ApiResponse {
    const paths: Record<string, unknown> = { ...builtInIndex() };
    const groups = this.#customPaths();
    for (const path of [...groups.keys()].sort()) {
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#customDocument(path)?.hash ?? ''}` };
    }
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: [Buffer.from(JSON.stringify({ paths }))],
    };
  }

  #document(request: ApiRequest, path: string): ApiResponse {
    const builtIn = path === 'index' ? undefined : compressedDocument(path);
    const custom = builtIn === undefined ? this.#customDocument(path) : undefined;
    const hash = custom?.hash ?? builtInHash(path);
    if (hash === undefined) return { status: 404, headers: {}, body: [] };
    const asked = request.query.get('hash');
    if (asked !== null && asked !== hash) {
      return { status: 301, headers: { location: `/openapi/v3/${path}?hash=${hash}` }, body: [] };
    }
    // A document that was asked for by its hash never changes.
    const caching = asked === null ? 'no-cache, private' : 'public, immutable';
    const headers = { 'content-type': jsonType, vary: 'Accept', 'cache-control': caching, etag: `"${hash}"` };
    if (request.headers['if-none-match'] === headers.etag) return { status: 304, headers, body: [] };
    if (custom !== undefined || builtIn === undefined) {
      return { status: 200, headers, body: [Buffer.from(custom?.text ?? '')] };
    }
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return acceptsGzip
      ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: [builtIn] }
      : { status: 200, headers, body: [gunzipSync(builtIn)] };
  }

  #customPaths(): ReadonlyMap<string, readonly Resource[]> {
    const paths = new Map<string, Resource[]>();
    for (const resource of this.#registry.all()) {
      if (!resource.strategy.custom) continue;
      const path = `apis/${resource.group}/${resource.version}`;
      const list = paths.get(path);
      if (list === undefined) paths.set(path, [resource]);
      else list.push(resource);
    }
    return paths;
  }

  #customDocument(path: string): CustomDocument | undefined {
    this.#forgetOld();
    let found = this.#custom.get(path);
    if (found === undefined) {
      const resources = this.#customPaths().get(path);
      if (resources === undefined) return undefined;
      const text = JSON.stringify(customDocument(resources));
      found = { text, hash: hashOf(text) };
      this.#custom.set(path, found);
    }
    return found;
  }
}

function versionTwoType(mediaType: string): string | undefined {
  if ([jsonType, 'application/*', '*/*'].includes(mediaType)) return jsonType;
  return gnosticTypes.includes(mediaType) ? gnosticType : undefined;
}

const builtInHash = (path: string): string | undefined =>
  builtInIndex()[path]?.serverRelativeURL.replace(/^.*\?hash=/, '');
