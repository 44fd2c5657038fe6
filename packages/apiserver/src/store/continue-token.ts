/** Continue tokens: where the next page of a list begins, and in which state of the store. */

import { isObject } from '../object.ts';
import { badRequest } from '../status.ts';

export interface ContinueToken {
  /** The state that all pages show; `undefined` when it is gone, and the client goes on with the latest. */
  readonly revision: number | undefined;
  /** The first key that may be on the page, without the list's namespace. */
  readonly start: string;
}

const version = 'meta.k8s.io/v1';

/** The token that continues after `lastKey`. */
export function tokenAfter(revision: number | undefined, lastKey: string): string {
  return encodeToken({ revision, start: `${lastKey}\0` });
}

export function encodeToken({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision ?? -1, start })).toString('base64url');
}

/** Reads a token that this server may have written; clients must not make their own, but may send anything. */
export function decodeToken(text: string): ContinueToken {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`);
  const offset = text.search(/[^A-Za-z0-9_-]/);
  if (offset !== -1) throw refuse(`: illegal base64 data at input byte ${offset}`);
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw refuse(`: invalid character looking for beginning of value`);
  }
  if (!isObject(token)) throw refuse(': json: cannot unmarshal into Go value of type storage.continueToken');
  const { v, rv, start } = token;
  if (v !== version) throw refuse(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0)
    throw refuse(`: incorrect encoded start resourceVersion (version ${version})`);
  if (typeof start !== 'string' || start === '') throw refuse(`: encoded start key empty (version ${version})`);
  if (start.split('/').some((part, index) => part === '..' || part === '.' || (part === '' && index > 0))) {
    throw refuse(`: ${start}`);
  }
  return { revision: rv < 0 ? undefined : rv, start };
}
