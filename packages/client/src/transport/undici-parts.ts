/**
 * The two parts of undici that carry requests, loaded when they are first needed.
 *
 * All of undici (fetch, WebSockets, caches, mocks) took 125 ms of CPU to load, more than this package with everything
 * else it imports; these two take 38 ms. undici has no exports map that would forbid it, and its version is pinned, so
 * that the paths hold until someone changes it; then every test of the transport says so.
 */
import type { Agent, buildConnector } from 'undici';

export interface UndiciParts {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

export async function undiciParts(): Promise<UndiciParts> {
  const [agent, connect] = await Promise.all([
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/core/connect.js'),
  ]);
  return { Agent: agent.default, buildConnector: connect.default };
}
