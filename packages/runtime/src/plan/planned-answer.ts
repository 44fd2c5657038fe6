/** Answers in the form of a server's, and its own ones read. */
import type { Status, TransportResponse } from '@keelson/core';

/** A failure as the answer to a request. */
export class Refusal extends Error {
  readonly response: TransportResponse;

  constructor(response: TransportResponse) {
    super('the write would be refused');
    this.response = response;
  }
}

export function answer(status: number, body: object): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: bytesOf(Buffer.from(JSON.stringify(body))),
  };
}

/** `path` is that of the object that the failure is about. */
export function failure(code: number, reason: string, message: string, path: string): TransportResponse {
  const name = decodeURIComponent(path.split('/').at(-1) ?? '');
  const kind = path.split('/').at(-2);
  const details = { name, kind };
  return answer(code, {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
    details,
  } satisfies Status);
}

/** The JSON of an answer; `undefined` when there is no object of that name, and a Refusal for any other failure. */
export async function readJson(response: TransportResponse): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (response.status < 300) return JSON.parse(bytes.toString('utf8'));
  if (response.status === 404 && isAboutObject(bytes)) return undefined;
  throw new Refusal({ ...response, body: bytesOf(bytes) });
}

/** Without a name it is the kind that the server does not have. */
function isAboutObject(bytes: Buffer): boolean {
  try {
    return (JSON.parse(bytes.toString('utf8')) as Status).details?.name !== undefined;
  } catch {
    return false;
  }
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
