/** Whether a cluster is one of this machine's own. Any other may be production, so tools have people name it first. */
import type { ClusterConfig } from './cluster-config.ts';

/** Whether the API server has a loopback address. Behind a proxy, that of the proxy's machine is meant. */
export function isOnThisMachine({ server, proxyUrl }: Pick<ClusterConfig, 'server' | 'proxyUrl'>): boolean {
  const { hostname } = new URL(server);
  return proxyUrl === undefined && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
