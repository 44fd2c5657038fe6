/**
 * Discovery: which kinds a server has, under which paths, and what can be done with them.
 *
 * What was learned is kept. A question that it cannot answer asks the server again, so that a custom resource definition
 * installed a moment ago is found without a restart; many questions at once share one look.
 */
import type { Kind } from '@keelson/core';
import type { Client } from '../client/client.ts';
import { readAggregated, readGroup } from './discovery-document.ts';

export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Such as `status` and `scale`. */
  readonly subresources: readonly string[];
}

/** Without a version, the one that the server prefers. */
export type KindQuery = { readonly group: string; readonly version?: string | undefined } & (
  | { readonly kind: string }
  | { readonly resource: string }
);

export interface Discovery {
  /** The kind, or `undefined` when the server does not have it, also after asking again. */
  find(query: KindQuery): Promise<DiscoveredKind | undefined>;
  /** Every kind in every version that is served; groups and versions in the server's order of preference. */
  all(): Promise<readonly DiscoveredKind[]>;
  /** The next question asks the server. */
  invalidate(): void;
}

export function createDiscovery(client: Client): Discovery {
  return new CachedDiscovery(client);
}

class CachedDiscovery implements Discovery {
  readonly #client: Client;
  #known: readonly DiscoveredKind[] = [];
  #isKnown = false;
  #looking: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async find(query: KindQuery): Promise<DiscoveredKind | undefined> {
    const found = () => this.#known.find((kind) => matches(kind, query));
    // A look that others began may be older than what we ask for, so missing it there means nothing.
    if (!found() && this.#looking) await this.#look();
    if (!found()) await this.#look();
    return found();
  }

  async all(): Promise<readonly DiscoveredKind[]> {
    if (!this.#isKnown) await this.#look();
    return this.#known;
  }

  invalidate(): void {
    this.#known = [];
    this.#isKnown = false;
  }

  #look(): Promise<void> {
    this.#looking ??= discover(this.#client)
      .then((kinds) => {
        this.#known = kinds;
        this.#isKnown = true;
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }
}

function matches(kind: DiscoveredKind, query: KindQuery): boolean {
  return (
    kind.group === query.group &&
    (query.version === undefined || kind.version === query.version) &&
    ('kind' in query ? kind.kind === query.kind : kind.resource === query.resource)
  );
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

async function discover(client: Client): Promise<readonly DiscoveredKind[]> {
  const kinds = ['/api', '/apis'].map(async (path) => {
    const document = readAggregated(await client.getRaw(path, { accept: aggregated }));
    if (document.type === 'kinds') return document.kinds;
    // A server before 1.30, or one that is not Kubernetes' own, has a document for each group version.
    return (await Promise.all(document.paths.map(async (each) => readGroup(await client.getRaw(each))))).flat();
  });
  return (await Promise.all(kinds)).flat();
}
