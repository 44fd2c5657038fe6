/**
 * The ConfigMaps of one server, as far as lists and watches go, with faults at the test's command.
 *
 * It keeps its whole history, so that a watch can go on from any resourceVersion that was not compacted away.
 */
import type { ServerResponse } from 'node:http';
import { type Script, type ScriptedRequest, type ScriptedServer, sendJson, startServer } from './scripted-server.ts';

interface Revision {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ReturnType<typeof configMap>;
}

export interface OpenWatch {
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  send(event: object): void;
  write(text: string): void;
}

export function configMap(name: string, value: string, uid: string, resourceVersion: number) {
  const metadata = {
    name,
    namespace: 'x',
    uid,
    resourceVersion: String(resourceVersion),
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [{ manager: 'someone', operation: 'Update' }],
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}

export class ScriptedCollection implements AsyncDisposable {
  readonly server: ScriptedServer;
  readonly watches = new Set<OpenWatch>();
  /** Whether lists are streamed; if not, the request for that is refused as older servers do. */
  canStreamLists = true;
  /** Answers instead of the collection, as long as it returns true. */
  intercept: (request: ScriptedRequest, response: ServerResponse, query: URLSearchParams) => boolean = () => false;
  #objects = new Map<string, ReturnType<typeof configMap>>();
  #history: Revision[] = [];
  #revision = 100;
  #compacted = 100;
  #uids = 0;

  private constructor(server: ScriptedServer) {
    this.server = server;
  }

  static async start(): Promise<ScriptedCollection> {
    const collection = new ScriptedCollection(await startServer(() => {}));
    collection.server.script = collection.#serve;
    return collection;
  }

  get revision(): number {
    return this.#revision;
  }

  set(name: string, value: string): void {
    const existing = this.#objects.get(name);
    const object = configMap(name, value, existing?.metadata.uid ?? `u${++this.#uids}`, ++this.#revision);
    this.#objects.set(name, object);
    this.#publish({ type: existing ? 'MODIFIED' : 'ADDED', object });
  }

  delete(name: string): void {
    const existing = this.#objects.get(name);
    if (!existing) throw new TypeError(`there is no ${name}`);
    this.#objects.delete(name);
    const { uid } = existing.metadata;
    this.#publish({ type: 'DELETED', object: configMap(name, existing.data.value, uid, ++this.#revision) });
  }

  bookmark(): void {
    for (const watch of this.watches) watch.send(bookmark(this.#revision));
  }

  /** Forgets all history: a watch can only go on from now. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history = [];
  }

  /** Goes back to an early state with only these objects, as if from a backup. Open watches hear nothing. */
  restore(names: readonly string[]): void {
    this.#revision = 50;
    this.#history = [];
    this.#compacted = 0;
    const restored = names.map((name) => {
      const uid = this.#objects.get(name)?.metadata.uid ?? name;
      return [name, configMap(name, 'restored', uid, this.#revision)] as const;
    });
    this.#objects = new Map(restored);
  }

  /** Ends all watches as a server that is done with them. */
  endWatches(): void {
    for (const { response } of this.watches) response.end();
  }

  /** Breaks the connections of all watches. */
  cutWatches(): void {
    for (const { response } of this.watches) response.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #publish(revision: Revision): void {
    this.#history.push(revision);
    for (const watch of this.watches) watch.send(revision);
  }

  readonly #serve: Script = (request, response) => {
    const query = new URL(request.path, this.server.url).searchParams;
    if (this.intercept(request, response, query)) return;
    if (query.get('watch') === 'true') this.#watch(query, response);
    else this.#list(query, response);
  };

  #list(query: URLSearchParams, response: ServerResponse): void {
    const limit = Number(query.get('limit')) || Number.POSITIVE_INFINITY;
    const from = Number(query.get('continue') ?? 0);
    const all = [...this.#objects.values()];
    const isLast = from + limit >= all.length;
    sendJson(response, {
      metadata: { resourceVersion: String(this.#revision), ...(isLast ? {} : { continue: String(from + limit) }) },
      items: all.slice(from, from + limit).map(({ apiVersion: _, kind: __, ...item }) => item),
    });
  }

  #watch(query: URLSearchParams, response: ServerResponse): void {
    const isStreamedList = query.get('sendInitialEvents') === 'true';
    if (isStreamedList && !this.canStreamLists) {
      sendJson(
        response,
        failure(
          422,
          'Invalid',
          'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
        422,
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const watch: OpenWatch = {
      query,
      response,
      send: (event) => void response.write(`${JSON.stringify(event)}\n`),
      write: (text) => void response.write(text),
    };
    const from = Number(query.get('resourceVersion') ?? 0);
    if (isStreamedList) {
      for (const object of this.#objects.values()) watch.send({ type: 'ADDED', object });
      watch.send(bookmark(this.#revision, { 'k8s.io/initial-events-end': 'true' }));
    } else if (from < this.#compacted) {
      watch.send({
        type: 'ERROR',
        object: failure(410, 'Expired', `too old resource version: ${from} (${this.#compacted})`),
      });
      response.end();
      return;
    } else {
      for (const each of this.#history) if (Number(each.object.metadata.resourceVersion) > from) watch.send(each);
    }
    this.watches.add(watch);
    response.on('close', () => this.watches.delete(watch));
  }
}

export function failure(code: number, reason: string, message: string, causes?: readonly object[]) {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message,
    ...(causes ? { details: { causes } } : {}),
  };
}

function bookmark(revision: number, annotations?: Record<string, string>) {
  return {
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: String(revision), annotations } },
  };
}
