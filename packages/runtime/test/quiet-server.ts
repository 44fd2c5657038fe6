/** A server for tables beside the sources: it has some ConfigMaps, and nothing happens in it by itself. */
import type { Transport, TransportRequest } from '@keelson/core';

export interface QuietServerOptions {
  /** The ConfigMaps of the namespace `default`; absent: their list never comes. @default ['a'] */
  readonly names?: readonly string[] | undefined;
  /** What a request gets instead: an object, or the code of a failure. */
  readonly answers?: ((request: TransportRequest) => object | number | undefined) | undefined;
}

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: `u-${name}`, resourceVersion: '1', creationTimestamp: 'then' },
});

const failureOf = (code: number) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code,
  reason: 'NotFound',
  message: 'none',
});

export function quietServer(options: QuietServerOptions = {}): Transport & { readonly requests: TransportRequest[] } {
  const { names, answers = () => undefined } = { names: ['a'], ...options };
  const requests: TransportRequest[] = [];
  const initialEvents = (path: string) => {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const end = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } };
    const added = (names ?? []).map((name) => ({ type: 'ADDED', object: configMap(name) }));
    return (path.includes('/configmaps') ? [...added, end] : [end])
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('');
  };
  return {
    requests,
    async request(request) {
      requests.push(request);
      const own = answers(request);
      const name = /\/([^/?]+)(\?|$)/.exec(request.path)?.[1] ?? '';
      async function* body() {
        if (own !== undefined || !request.path.includes('watch=')) {
          yield Buffer.from(JSON.stringify(typeof own === 'number' ? failureOf(own) : (own ?? configMap(name))));
          return;
        }
        if (names !== undefined) yield Buffer.from(initialEvents(request.path));
        await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
      }
      const status = typeof own === 'number' ? own : 200;
      return { status, headers: { 'content-type': 'application/json' }, body: body() };
    },
    async [Symbol.asyncDispose]() {},
  };
}
