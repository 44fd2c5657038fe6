/** `/openapi/v3`: the built-in documents as they are, and one for each version of a group of custom resources. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { customDocument } from '../openapi/custom-document.ts';
import { builtInIndex, compressedDocument } from '../openapi/documents.ts';
import { type ApiRequest, type ApiResponse, jsonType, textResponse } from '../request/exchange.ts';
import type { Registry } from '../resource/registry.ts';
import type { Resource } from '../resource/resource.ts';
import { notAcceptable } from '../status.ts';

const hashOf = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase();

interface CustomDocument {
  readonly text: string;
  readonly hash: string;
}

/** Documents of custom resources, made again when what is served has changed. */
export class OpenApi {
  readonly #registry: Registry;
  #changeCount = -1;
  readonly #custom = new Map<string, CustomDocument>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  respond(request: ApiRequest): ApiResponse | undefined {
    const match = /^\/openapi\/v3(?:\/(?<path>.+?))?\/?$/.exec(request.path);
    if (match === null) {
      // Old clients want version 2 in protobuf; kubectl asks for it when it does not find what it needs in version 3.
      return request.path === '/openapi/v2' ? textResponse(404, '404 page not found\n') : undefined;
    }
    const { accept } = request.headers;
    if (accept !== undefined && accept !== '' && !/application\/json|application\/\*|\*\/\*/.test(accept)) {
      throw notAcceptable(['application/json']);
    }
    const path = match.groups?.path;
    return path === undefined ? this.#index() : this.#document(request, path);
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
    if (this.#changeCount !== this.#registry.changeCount) {
      this.#custom.clear();
      this.#changeCount = this.#registry.changeCount;
    }
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

const builtInHash = (path: string): string | undefined =>
  builtInIndex()[path]?.serverRelativeURL.replace(/^.*\?hash=/, '');
