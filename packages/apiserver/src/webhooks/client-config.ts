/** Where a webhook is: at a URL, or behind a Service. Configurations of admission and definitions say it alike. */
import type { ServiceAddress } from '../services.ts';

export interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  /** PEM in base64. */
  readonly caBundle?: string | undefined;
}

export interface Address {
  /** With scheme and host, as messages show it. */
  readonly url: string;
  readonly service: ServiceAddress | undefined;
}

const defaultPort = 443;

export function addressOf({ url = '', service }: ClientConfig): Address {
  if (service === undefined) {
    const { origin, pathname } = new URL(url);
    return { url: `${origin}${pathname}`, service: undefined };
  }
  const { namespace, name, path = '', port = defaultPort } = service;
  const below = path.startsWith('/') ? path : `/${path}`;
  return { url: `https://${name}.${namespace}.svc:${port}${below}`, service: { namespace, name, port } };
}
