/** A transport on which watches can be made to lag: what the server sends waits until it is released. */
import type { Transport } from '@keelson/core';

export interface HoldableTransport extends Transport {
  /** From now on watches deliver nothing. */
  hold(): void;
  /** They deliver all that came meanwhile, and go on. */
  release(): void;
}

/** `transport` stays the caller's: disposing this one does not end it. */
export function holdable(transport: Transport): HoldableTransport {
  let gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  return {
    hold() {
      const { promise: opened, resolve: open } = Promise.withResolvers<void>();
      gate ??= { opened, open };
    },
    release() {
      gate?.open();
      gate = undefined;
    },
    async request(request) {
      const response = await transport.request(request);
      if (!request.streaming) return response;
      async function* held() {
        for await (const chunk of response.body) {
          await gate?.opened;
          yield chunk;
        }
      }
      return { ...response, body: held() };
    },
    async [Symbol.asyncDispose]() {},
  };
}
