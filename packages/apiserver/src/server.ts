/**
 * A Kubernetes API server in a process.
 *
 * Promises: all state is in memory and belongs to this value; time and chance come from outside, so that two servers with
 * the same clock, the same randomness and the same requests give the same answers, byte by byte.
 * Does not: persist anything, or run controllers; garbage collection, deployments and the rest are `@keelson/cluster`'s.
 */
import type { Clock, Random, Transport } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { Authenticator, type Tokens } from './authenticate/authenticate.ts';
import { ServiceAccountTokens } from './authenticate/service-account-tokens.ts';
import { Authoriser } from './authorise/authoriser.ts';
import { createDefaults } from './composition/bootstrap/bootstrap-objects.ts';
import { expireEvents } from './composition/bootstrap/event-expiry.ts';
import { builtInResources } from './composition/built-in/built-in-resources.ts';
import { runDefinitions } from './composition/custom-resources/definition-controller.ts';
import type { ContainerLogs } from './container-logs.ts';
import { OpenApi } from './discovery/open-api.ts';
import { Impersonator } from './impersonate/impersonate.ts';
import { administrator, type User } from './request/user.ts';
import { Registry } from './resource/registry.ts';
import type { Resource, Surroundings } from './resource/resource.ts';
import { answer } from './route/handle-request.ts';
import { type Authority, createAuthority, type Identity } from './serving/certificates.ts';
import { openHttpsDoor } from './serving/https.ts';
import { inProcessTransport } from './serving/in-process.ts';
import { kubeconfigText } from './serving/kubeconfig.ts';
import type { Revision } from './store/revision.ts';
import { Store } from './store/store.ts';
import type { Context } from './verbs/context.ts';
import { remove } from './verbs/delete.ts';
import { FanOut } from './watch/fan-out.ts';

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
  /** Hears of what should not happen; the client is told 500 in any case. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ListenOptions {
  /** 0 takes a free one. @default 0 */
  readonly port?: number | undefined;
}

/** An open door; disposing it closes it and keeps the server's state. */
export interface Listening extends AsyncDisposable {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** The text of a kubeconfig for the administrator; valid for every door of this server on the same port. */
  readonly kubeconfig: string;
  /** The certificate of the server's own authority, in PEM. */
  readonly certificateAuthority: string;
}

export interface ApiServer extends AsyncDisposable {
  /** The way in for code in this process, as the administrator: no sockets, no timers, microtasks alone. */
  readonly transport: Transport;
  /** The same for somebody else, with the rules bound to him; a service account that is given no groups has its own. */
  transportAs(user: User): Transport;
  /** Opens a door on the loopback address. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Forgets past states, as etcd does every five minutes: older watches and pages expire. */
  compact(): void;
}

export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const { clock = systemClock, random = systemRandom, tokens = new Map(), history, logs, onError } = options;
  const store = new Store({ history });
  const registry = new Registry(builtInResources());
  const fanOut = new FanOut(store);
  const surroundings: Surroundings = {
    random,
    get now() {
      return clock.now();
    },
    find: (collection, key) => store.collection(collection).get(key)?.object,
    *list(collection) {
      for (const { object } of store.collection(collection).list()) yield object;
    },
  };
  const accountTokens = new ServiceAccountTokens({ clock, random, find: surroundings.find });
  const context: Context = {
    store,
    registry,
    fanOut,
    clock,
    random,
    surroundings,
    logs,
    accountTokens,
    authenticator: new Authenticator(tokens, accountTokens),
    authoriser: new Authoriser(store),
  };
  runDefinitions(context, (resource, existing) => removeFor(context, resource, existing));
  const expiry = expireEvents(context);
  createDefaults(context);

  const impersonator = new Impersonator(context.authoriser);
  const walk = { context, openApi: new OpenApi(registry), impersonator, onError };
  const transportAs = (user: User): Transport => inProcessTransport((request) => answer(walk, request), user);

  let identities: { readonly authority: Authority; readonly server: Identity; readonly client: Identity } | undefined;
  const doors = new Set<Listening>();

  return {
    transport: transportAs(administrator),
    transportAs,
    async listen({ port = 0 } = {}) {
      if (identities === undefined) {
        const authority = createAuthority(random);
        const server = authority.issueServer(['127.0.0.1', 'localhost', 'kubernetes', 'kubernetes.default.svc']);
        identities = { authority, server, client: authority.issueClient(administrator.name, administrator.groups) };
      }
      const { authority, server, client } = identities;
      const door = await openHttpsDoor((request) => answer(walk, request), {
        port,
        server,
        authority: authority.certificate,
      });
      const listening: Listening = {
        url: door.url,
        port: door.port,
        kubeconfig: kubeconfigText(door.url, authority.certificate, client),
        certificateAuthority: authority.certificate,
        async [Symbol.asyncDispose]() {
          doors.delete(listening);
          await door[Symbol.asyncDispose]();
        },
      };
      doors.add(listening);
      return listening;
    },
    compact: () => store.compact(),
    async [Symbol.asyncDispose]() {
      expiry[Symbol.dispose]();
      fanOut.closeAll();
      await Promise.all([...doors].map((door) => door[Symbol.asyncDispose]()));
    },
  };
}

/** The server's own deletion of an object whose definition is going. */
function removeFor(context: Context, resource: Resource, existing: Revision): void {
  const { namespace = '', name = '' } = existing.object.metadata;
  remove(
    context,
    {
      request: {
        method: 'DELETE',
        path: '',
        query: new URLSearchParams(),
        headers: {},
        body: undefined,
        credentials: {},
        host: '',
      },
      user: administrator,
      info: {
        type: 'resource',
        verb: 'delete',
        group: resource.group,
        version: resource.version,
        resource: resource.resource,
        namespace,
        name,
        subresource: '',
        rest: [],
        watchPath: false,
        throughNamespace: false,
      },
      resource,
      namespace,
      name,
      warnings: [],
    },
    existing,
    {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagation: undefined,
      orphanDependents: undefined,
      preconditions: {},
    },
  );
}
