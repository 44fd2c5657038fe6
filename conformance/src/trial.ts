/**
 * What one case works with: requests to the server, names of its own, and the promise that everything that it made
 * is removed afterwards.
 */
import type { Query, RequestOptions } from './api.ts';
import { cleanUp } from './clean-up.ts';
import type { Answer, Body } from './exchange.ts';
import { eventually, type Session, uniqueName } from './session.ts';
import type { Watch } from './watch.ts';

export interface ApplyOptions extends Omit<RequestOptions, 'body'> {
  /** `undefined` leaves the parameter out. */
  readonly manager?: string | undefined;
  readonly force?: boolean;
}

export class Trial {
  readonly session: Session;
  readonly #made: string[] = [];
  readonly #borrowed: string[] = [];
  readonly #watches: Watch[] = [];
  readonly #afterwards: (() => Promise<unknown>)[] = [];
  /** The last answer, which is shown when a case fails for a reason that is not an answer's. */
  last: Answer | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, { ...options, body });
  }

  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('PUT', path, { ...options, body });
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('DELETE', path, options);
  }

  mergePatch(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.#patch('application/merge-patch+json', path, body, options);
  }

  jsonPatch(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.#patch('application/json-patch+json', path, body, options);
  }

  strategicPatch(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.#patch('application/strategic-merge-patch+json', path, body, options);
  }

  apply(path: string, body: unknown, { manager, force, query, headers }: ApplyOptions = {}): Promise<Answer> {
    const parameters: Query = {
      ...(manager === undefined ? {} : { fieldManager: manager }),
      ...(force === undefined ? {} : { force }),
      ...query,
    };
    return this.#patch('application/apply-patch+yaml', path, body, { query: parameters, headers: headers ?? {} });
  }

  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const answer = await this.session.api.send(method, path, options);
    this.last = answer;
    if (answer.status === 201 && options.query?.dryRun === undefined) {
      const { metadata } = answer.body.metadata?.name ? answer.body : (options.body as Partial<Body>);
      // A review is answered like an object that was made, and has no name under which it could be removed.
      if (method !== 'POST') this.#made.push(path);
      else if (metadata?.name) this.#made.push(`${path}/${metadata.name}`);
    }
    return answer;
  }

  /** Opened now, closed with the case. */
  async watch(path: string, query: Query = {}, options: RequestOptions = {}): Promise<Watch> {
    const watch = await this.session.api.watch(path, { ...options, query });
    this.#watches.push(watch);
    return watch;
  }

  name(prefix: string): string {
    return uniqueName(prefix);
  }

  /** A namespace for this case alone; others may have had it before, and left it empty. */
  async namespace(): Promise<string> {
    const name = await this.session.borrowNamespace();
    this.#borrowed.push(name);
    return name;
  }

  /** A namespace that nobody had before: for cases that look at it through old eyes, or destroy it. */
  async freshNamespace(): Promise<string> {
    const name = uniqueName('case');
    (await this.post('/api/v1/namespaces', { metadata: { name } })).is(201);
    return name;
  }

  /** Asks again until the answer passes: for what the server does in its own time. */
  eventually<T>(ask: () => Promise<T>): Promise<T> {
    return eventually(ask);
  }

  /** Does this when all that the case made is removed. */
  afterwards(action: () => Promise<unknown>): void {
    this.#afterwards.push(action);
  }

  /** Resolves with what is left behind although it should not be. */
  async close(): Promise<string[]> {
    for (const watch of this.#watches) await watch[Symbol.asyncDispose]();
    const left = await cleanUp(this.session, this.#made);
    for (const action of this.#afterwards) await action();
    if (left.length === 0) for (const name of this.#borrowed) this.session.giveBackNamespace(name);
    return left;
  }

  #patch(type: string, path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.send('PATCH', path, { ...options, headers: { 'content-type': type, ...options.headers }, body });
  }
}
