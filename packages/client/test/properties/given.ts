/**
 * What properties are judged by: a server's plain answers, with nothing of the client in between but its transport.
 *
 * fast-check prints the seed of a property that fails; `fc.assert(property, { seed, path })` repeats it.
 */
import assert from 'node:assert/strict';
import type { Transport, TransportRequest } from '@keelson/core';

export interface Given {
  readonly transport: Transport;
  /** A namespace of the properties' own; the default service account is there. */
  readonly namespace: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into at many places and judged by what is found there
export type Json = any;

export interface Answer {
  readonly code: number;
  readonly body: Json;
}

const types = { json: 'application/json', patch: 'application/json-patch+json', merge: 'application/merge-patch+json' };

interface Question {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** @default 'json' */
  readonly type?: keyof typeof types;
}

export async function ask(
  transport: Transport,
  method: TransportRequest['method'],
  path: string,
  { query = {}, body, type = 'json' }: Question = {},
): Promise<Answer> {
  const search = new URLSearchParams(query);
  const answer = await transport.request({
    method,
    path: search.size === 0 ? path : `${path}?${search}`,
    headers: { accept: types.json, ...(body !== undefined && { 'content-type': types[type] }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { code: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** The body of an answer that must be a success. */
export async function must(answer: Promise<Answer>): Promise<Json> {
  const { code, body } = await answer;
  assert.ok(code < 300, `${code}: ${JSON.stringify(body)}`);
  return body;
}

/** A namespace in which pods can be made at once. */
export async function createNamespace(transport: Transport, name: string): Promise<string> {
  await must(ask(transport, 'POST', '/api/v1/namespaces', { body: { metadata: { name } } }));
  const account = { metadata: { name: 'default' } };
  const { code, body } = await ask(transport, 'POST', `/api/v1/namespaces/${name}/serviceaccounts`, { body: account });
  assert.ok(code === 201 || code === 409, JSON.stringify(body)); // its controller may have been faster
  return name;
}

/** What a function gives, or `undefined` when it throws an error that `isRefusal` knows. */
export function unlessRefused<T>(compute: () => T, isRefusal: (error: unknown) => boolean): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
