/** The directory of host names: an HTTP API outside the cluster, in which each host has an owner. */

export interface Directory {
  /** Who owns the host, if anybody does. */
  ownerOf(host: string, signal: AbortSignal): Promise<string | undefined>;
  claim(host: string, owner: string, signal: AbortSignal): Promise<void>;
  /** Gives the host up; nothing happens when it is somebody else's, or nobody's. */
  release(host: string, owner: string, signal: AbortSignal): Promise<void>;
}

/** `fetch` is passed in, so that a test can answer in the process. */
export function httpDirectory(url: string, fetch: typeof globalThis.fetch = globalThis.fetch): Directory {
  const ask = async (method: string, host: string, owner: string | undefined, signal: AbortSignal) => {
    const headers = owner === undefined ? {} : { 'if-match': owner };
    const response = await fetch(new URL(`hosts/${host}`, url), { method, headers, signal });
    const text = await response.text();
    if (!response.ok && response.status !== 404) throw new Error(`${method} ${host}: ${response.status} ${text}`);
    return response.ok ? text : undefined;
  };
  return {
    ownerOf: (host, signal) => ask('GET', host, undefined, signal),
    claim: async (host, owner, signal) => void (await ask('PUT', host, owner, signal)),
    release: async (host, owner, signal) => void (await ask('DELETE', host, owner, signal)),
  };
}
