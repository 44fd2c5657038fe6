/** Notices when a stream breaks in the middle of a line, which only one who sees its bytes can. */
import type { Transport } from '@keelson/core';

const newline = 0x0a;

export interface NoticingTransport extends Transport {
  /** How often that happened. */
  readonly cutLines: number;
}

export function noticeCutLines(transport: Transport): NoticingTransport {
  let cutLines = 0;
  async function* noticing(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let last: number | undefined;
    try {
      for await (const chunk of body) {
        last = chunk.at(-1) ?? last;
        yield chunk;
      }
    } catch (error) {
      if (last !== undefined && last !== newline) cutLines += 1;
      throw error;
    }
  }
  return {
    async request(request) {
      const response = await transport.request(request);
      return request.streaming ? { ...response, body: noticing(response.body) } : response;
    },
    get cutLines() {
      return cutLines;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
