/** What Go's client makes of an answer that is no success: its own words by the code, or those of a Status. */
import { isObject } from '../object.ts';

const byCode: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** As much of a body as is quoted. */
const maxQuoted = 2048;

export function httpProblem(status: number, body: string): string {
  const said = statusMessage(body);
  if (said !== undefined) return said;
  const quoted = body.slice(0, maxQuoted).trim();
  if (status === 403 || status === 406 || status === 415) return quoted;
  const known = byCode[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(quoted)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

function statusMessage(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || value.kind !== 'Status' || value.status === 'Success') return undefined;
    return typeof value.message === 'string' && value.message !== '' ? value.message : undefined;
  } catch {
    return undefined;
  }
}
