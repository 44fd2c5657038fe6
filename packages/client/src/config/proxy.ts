/**
 * Which proxy leads to a server, if any: what kubeconfig says, or else what the environment says, read as Go's programs
 * read it (golang.org/x/net/http/httpproxy), so that kubectl and we go the same way on the same machine.
 *
 * A proxy's URL may hold a password, so no message quotes it.
 */
import { ConfigError } from './config-error.ts';
import { Secret } from './secret.ts';

/** With socks5h the proxy looks names up itself; here it does so with socks5, too, as in Go. */
const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

export const expectedProxy = 'is not the URL of an http, https or socks5 proxy, such as http://proxy.example:3128';

export function isProxyUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && protocols.has(url.protocol) && url.hostname !== '';
}

/** `HTTPS_PROXY` or `HTTP_PROXY`, by the server's scheme, unless `NO_PROXY` lets the server out. Lower case wins. */
export async function proxyFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  server: string,
): Promise<Secret | undefined> {
  const url = new URL(server);
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = env[name] ? name : name.toUpperCase();
  const value = env[variable];
  if (!value) return undefined;
  const { isDirect } = await import('./no-proxy.ts'); // late: it loads node:net, and most have no proxy
  if (isDirect(url, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!isProxyUrl(proxy)) throw new ConfigError({ field: `environment variable ${variable}` }, expectedProxy);
  return new Secret(proxy);
}
