/**
 * Discovery: which kinds a server has, under which paths, and what can be done with them.
 *
 * What was learned is kept. A question that it cannot answer asks the server again, so that a custom resource definition
 * installed a moment ago is found without a restart; many questions at once share one look. A group that another server
 * has (an aggregated API) and that does not answer now hides no other.
 */
import type { Kind } from '@keelson/core';
import type { Client } from '../client/client.ts';
import { type Findings, readAggregated, readGroup } from './discovery-document.ts';

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
  /**
   * The kind, or `undefined` when the server does not have it, also after asking again. Rejects when that cannot be known
   * because the kind's group does not answer.
   */
  find(query: KindQuery): Promise<DiscoveredKind | undefined>;
  /** Every kind in every version that answers; groups and versions in the server's order of preference. */
  all(): Promise<readonly DiscoveredKind[]>;
  /** The next question asks the server. */
  invalidate(): void;
}

export function createDiscovery(client: Client): Discovery {
  return new CachedDiscovery(client);
}

class CachedDiscovery implements Discovery {
  readonly #client: Client;
  #known: Findings = { kinds: [], failures: [] };
  #isKnown = false;
  #looking: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async find(query: KindQuery): Promise<DiscoveredKind | undefined> {
    const found = () => this.#known.kinds.find((kind) => matches(kind, query));
    // A look that others began may be older than what we ask for, so missing it there means nothing.
    if (!found() && this.#looking) await this.#look();
    if (!found()) await this.#look();
    const kind = found();
    const failure = kind ? undefined : this.#known.failures.find((each) => isOf(each, query));
    if (failure) throw failure.error;
    return kind;
  }

  async all(): Promise<readonly DiscoveredKind[]> {
    if (!this.#isKnown) await this.#look();
    return this.#known.kinds;
  }

  invalidate(): void {
    this.#known = { kinds: [], failures: [] };
    this.#isKnown = false;
  }

  #look(): Promise<void> {
    this.#looking ??= discover(this.#client)
      .then((findings) => {
        this.#known = findings;
        this.#isKnown = true;
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }
}

function matches(kind: DiscoveredKind, query: KindQuery): boolean {
  return isOf(kind, query) && ('kind' in query ? kind.kind === query.kind : kind.resource === query.resource);
}

function isOf(found: { readonly group: string; readonly version: string }, query: KindQuery): boolean {
  return found.group === query.group && (query.version === undefined || found.version === query.version);
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

async function discover(client: Client): Promise<Findings> {
  const findings = await Promise.all(
    ['/api', '/apis'].map(async (path) => {
      const document = readAggregated(await client.getRaw(path, { accept: aggregated }));
      if (document.type === 'findings') return document;
      // A server before 1.30, or one that is not Kubernetes' own, has a document for each group version.
      return together(await Promise.all(document.paths.map((each) => discoverGroup(client, each))));
    }),
  );
  return together(findings);
}

async function discoverGroup(client: Client, path: string): Promise<Findings> {
  try {
    return { kinds: readGroup(await client.getRaw(path)), failures: [] };
  } catch (error) {
    const [version = '', group = ''] = path.split('/').reverse();
    return { kinds: [], failures: [{ group: group === 'api' ? '' : group, version, error: error as Error }] };
  }
}

function together(findings: readonly Findings[]): Findings {
  return {
    kinds: findings.flatMap(({ kinds }) => kinds),
    failures: findings.flatMap(({ failures }) => failures),
  };
}
