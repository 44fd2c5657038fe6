/**
 * A Kubernetes API server in a process.
 *
 * Promises: all state is in memory and belongs to this value; time and chance come from outside, so that two servers with
 * the same clock, the same randomness and the same requests give the same answers, byte by byte.
 * Does not: persist anything, or run controllers; garbage collection, deployments and the rest are `@keelson/cluster`'s.
 */

import type { Clock, Random, Transport } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { type Authority, createAuthority, type Identity } from '@keelson/core/x509';
import type { Tokens } from './authenticate/authenticate.ts';
import { compose } from './composition/compose.ts';
import type { ContainerLogs } from './container-logs.ts';
import type { ContainerSessions } from './container-sessions.ts';
import type { PodPorts } from './pod-ports.ts';
import type { PodUsage } from './pod-usage.ts';
import type { Remarks } from './remarks.ts';
import type { ApiRequest } from './request/exchange.ts';
import { administrator, type User } from './request/user.ts';
import { handleRequest } from './route/handle-request.ts';
import type { Services } from './services.ts';
import { serveHttps } from './serving/https.ts';
import { inProcessTransport } from './serving/in-process.ts';
import { kubeconfigText } from './serving/kubeconfig.ts';

/** What a server takes from outside; everything has a default. */
export interface ApiServerOptions {
  /** Where time comes from: timestamps, timeouts of watches, bookmarks, the expiry of events. @default systemClock */
  readonly clock?: Clock | undefined;
  /** Where uids and generated names come from. @default systemRandom */
  readonly random?: Random | undefined;
  /** Bearer tokens, and whose they are; the administrator's certificate works in any case. */
  readonly tokens?: Tokens | undefined;
  /** Changes kept per resource, for watches that resume and for lists of a past state. @default 2000 */
  readonly history?: number | undefined;
  /** Gives the logs of containers, which only their nodes have; without it, they are not implemented. */
  readonly logs?: ContainerLogs | undefined;
  /** Lets people into containers, by exec and attach; without it, that is not implemented. */
  readonly sessions?: ContainerSessions | undefined;
  /** Leads to the ports of pods, by port-forward; without it, that is not implemented. */
  readonly ports?: PodPorts | undefined;
  /** Gives what pods use, which a metrics server would measure; without it, there is no metrics.k8s.io. */
  readonly podUsage?: PodUsage | undefined;
  /** Warnings for whoever writes an object. @default there are none */
  readonly remarks?: Remarks | undefined;
  /** The way to what stands behind Services, webhooks above all. @default nobody answers there */
  readonly services?: Services | undefined;
  /** Hears of what should not happen, at a request, whose client is told 500 in any case, or at the network. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Where a server listens: always on the loopback address. */
export interface ServingOptions {
  /** 0 takes a free one. @default 0 */
  readonly port?: number | undefined;
}

/** The server on a port; disposing it closes the port and all connections, and keeps the server's state. */
export interface Listening extends AsyncDisposable {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The one that was asked for, or the free one that was found. */
  readonly port: number;
  /** The text of a kubeconfig for the administrator; valid whenever this server listens on the same port. */
  readonly kubeconfig: string;
  /** The certificate of the server's own authority, in PEM. */
  readonly certificateAuthority: string;
}

/** A Kubernetes API server in this process; disposing it ends its watches and closes its ports. */
export interface ApiServer extends AsyncDisposable {
  /** The way in for code in this process, as the administrator: no sockets, no timers, microtasks alone. */
  readonly transport: Transport;
  /** The same for another user, with the rules bound to it; a service account that is given no groups has its own. */
  transportAs(user: User): Transport;
  /** Serves HTTPS on the loopback address, with certificates of its own authority. */
  listen(options?: ServingOptions): Promise<Listening>;
  /** Forgets past states at once, which happens every five minutes of the clock: older watches and pages expire. */
  compact(): void;
}

/**
 * Starts a server with the namespaces, roles and priority classes that every cluster has. It needs no port: requests
 * come through its transports, and over HTTPS once it listens.
 *
 * @example
 * await using server = createApiServer();
 * const response = await server.transport.request({ method: 'GET', path: '/api/v1/namespaces', headers: {} });
 * const { kubeconfig } = await server.listen({ port: 6443 });
 */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const { clock = systemClock, random = systemRandom, tokens = new Map(), onError } = options;
  const composition = compose({ ...options, clock, random, tokens });
  const handle = (request: ApiRequest) => handleRequest(composition, request);
  const transportAs = (user: User): Transport => inProcessTransport(handle, user);

  let identities: { readonly authority: Authority; readonly server: Identity; readonly client: Identity } | undefined;
  const open = new Set<Listening>();

  return {
    transport: transportAs(administrator),
    transportAs,
    async listen({ port = 0 } = {}) {
      if (identities === undefined) {
        const authority = createAuthority(random);
        const server = authority.issueServer('kube-apiserver', [
          '127.0.0.1',
          'localhost',
          'kubernetes',
          'kubernetes.default.svc',
        ]);
        identities = { authority, server, client: authority.issueClient(administrator.name, administrator.groups) };
      }
      const { authority, server, client } = identities;
      const https = await serveHttps(handle, {
        port,
        server,
        authority: authority.certificate,
        onError,
      });
      const listening: Listening = {
        url: https.url,
        port: https.port,
        kubeconfig: kubeconfigText(https.url, authority.certificate, client),
        certificateAuthority: authority.certificate,
        async [Symbol.asyncDispose]() {
          open.delete(listening);
          await https[Symbol.asyncDispose]();
        },
      };
      open.add(listening);
      return listening;
    },
    compact: () => composition.context.store.compact(),
    async [Symbol.asyncDispose]() {
      composition[Symbol.dispose]();
      await Promise.all([...open].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
