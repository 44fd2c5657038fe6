/** A transport that writes down every request and every byte of its answer, in the order in which they happen. */
import type { Transport, TransportRequest } from '@keelson/core';

export interface Recording extends Transport {
  /** A line for each request and for each piece of an answer. */
  readonly lines: readonly string[];
}

export function recorded(transport: Transport): Recording {
  const lines: string[] = [];
  let requests = 0;
  const note = (id: number, what: string) => lines.push(`${id} ${what}`);
  return {
    lines,
    async request(request: TransportRequest) {
      const id = ++requests;
      note(
        id,
        `${request.headers['user-agent'] ?? '-'} ${request.method} ${request.path} ${String(request.body ?? '')}`,
      );
      const response = await transport.request(request);
      note(id, `${response.status}`);
      return {
        ...response,
        body: (async function* () {
          for await (const chunk of response.body) {
            note(id, Buffer.from(chunk).toString());
            yield chunk;
          }
        })(),
      };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** The requests that may have changed something. */
export function writesIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /^\d+ \S+ (POST|PUT|PATCH|DELETE) /.test(line));
}
