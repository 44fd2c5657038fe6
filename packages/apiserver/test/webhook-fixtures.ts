/** Webhooks in the process, for tests: each is the name of a Service, and a function from reviews to answers. */
import type { Transport } from '@keelson/core';
import { type Started, startServer } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: reviews are looked into at many places and judged by what is found there
export type Review = any;
export type Answering = (review: Review, path: string) => object | undefined | Promise<object | undefined>;

/** Answers every POST in the process; nothing is a webhook that hangs. */
function transportOf(answer: Answering): Transport {
  return {
    async request({ path, body }) {
      const review = JSON.parse(String(body));
      const value = await answer(review, path);
      if (value === undefined) return new Promise(() => {});
      const bytes = Buffer.from(JSON.stringify(value));
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** A server on which each name of this record is the Service of a webhook. */
export function startWith(hooks: Readonly<Record<string, Answering>>): Started {
  const transports = new Map(Object.entries(hooks).map(([name, answering]) => [name, transportOf(answering)]));
  return startServer({ services: ({ name }) => transports.get(name) });
}
