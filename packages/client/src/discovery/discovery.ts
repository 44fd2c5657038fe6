/**
 * Discovery: which kinds a server has, under which paths, and what can be done with them.
 *
 * What was learned is kept. A question that it cannot answer asks the server again, so that a custom resource definition
 * installed a moment ago is found without a restart; many questions at once share one look. A group that another server
 * has (an aggregated API) and that does not answer now hides no other.
 */
import { type Kind, TransportError } from '@keelson/core';
import { fieldsIn } from '../transport/shape.ts';
import { type DiscoveredKinds, readAggregated, readGroup } from './discovery-document.ts';

/** A kind as the server describes it. */
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

/** What a server can do: its kinds, in all versions. */
export interface Discovery {
  /**
   * The kind, or `undefined` when the server does not have it, also after asking again. Rejects when that cannot be known
   * because the kind's group does not answer.
   */
  find(query: KindQuery): Promise<DiscoveredKind | undefined>;
  /** Every kind in every version that answers; groups and versions in the server's order of preference. */
  all(): Promise<readonly DiscoveredKind[]>;
  /** Asks the server, whatever is known: all that it has, and which group versions did not answer. */
  read(): Promise<DiscoveredKinds>;
  /** The next question asks the server. */
  invalidate(): void;
}

/** What discovery needs of a client. */
interface RawReader {
  /** The JSON at a path. */
  getRaw(path: string, options?: { readonly accept?: string }): Promise<unknown>;
}

/** Which kinds a server has, asked when first needed and again for what is not known yet. */
export function createDiscovery(client: RawReader): Discovery {
  return new CachedDiscovery(client);
}

class CachedDiscovery implements Discovery {
  readonly #client: RawReader;
  #known: DiscoveredKinds | undefined;
  /** The look that the next question may share; one that began before `invalidate` is not. */
  #looking: Promise<DiscoveredKinds> | undefined;

  constructor(client: RawReader) {
    this.#client = client;
  }

  async find(query: KindQuery): Promise<DiscoveredKind | undefined> {
    const foundIn = (findings: DiscoveredKinds | undefined) => findings?.kinds.find((kind) => matches(kind, query));
    // A look that others began may be older than what we ask for, so missing it there means nothing.
    const known = foundIn(this.#known) ?? foundIn(await this.#looking);
    if (known) return known;
    const findings = await this.#look();
    const kind = foundIn(findings);
    const failure = kind ? undefined : findings.failures.find((each) => isOf(each, query));
    if (failure) throw failure.error;
    return kind;
  }

  async all(): Promise<readonly DiscoveredKind[]> {
    return (this.#known ?? (await this.#look())).kinds;
  }

  read(): Promise<DiscoveredKinds> {
    this.invalidate();
    return this.#look();
  }

  invalidate(): void {
    this.#known = undefined;
    this.#looking = undefined;
  }

  #look(): Promise<DiscoveredKinds> {
    if (this.#looking) return this.#looking;
    const looking = discover(this.#client)
      .then((findings) => {
        if (this.#looking === looking) this.#known = findings;
        return findings;
      })
      .finally(() => {
        if (this.#looking === looking) this.#looking = undefined;
      });
    this.#looking = looking;
    return looking;
  }
}

function matches(kind: DiscoveredKind, query: KindQuery): boolean {
  return isOf(kind, query) && ('kind' in query ? kind.kind === query.kind : kind.resource === query.resource);
}

function isOf(found: { readonly group: string; readonly version: string }, query: KindQuery): boolean {
  return found.group === query.group && (query.version === undefined || found.version === query.version);
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** Each costs a request where a server does not tell all at once; clusters with all providers of Crossplane have hundreds. */
const maxGroupVersions = 5000;

async function discover(client: RawReader): Promise<DiscoveredKinds> {
  const findings = await Promise.all(
    ['/api', '/apis'].map(async (path) => {
      const document = read(path, readAggregated, await client.getRaw(path, { accept: aggregated }));
      if (document.type === 'findings') return document;
      if (document.paths.length > maxGroupVersions) {
        throw new TransportError(
          `get ${path}`,
          `it names ${document.paths.length} group versions, which no server has`,
        );
      }
      // A server before 1.30, or one that is not Kubernetes' own, has a document for each group version.
      return together(await Promise.all(document.paths.map((each) => discoverGroup(client, each))));
    }),
  );
  return together(findings);
}

async function discoverGroup(client: RawReader, path: string): Promise<DiscoveredKinds> {
  try {
    return { kinds: read(path, readGroup, await client.getRaw(path)), failures: [] };
  } catch (error) {
    const [version = '', group = ''] = path.split('/').reverse();
    return { kinds: [], failures: [{ group: group === 'api' ? '' : group, version, error: error as Error }] };
  }
}

/** A document whose shape is another than promised is no answer. */
function read<T>(path: string, reader: (answer: unknown) => T, answer: unknown): T {
  const action = `get ${path}`;
  const document = fieldsIn(action, answer);
  try {
    return reader(document);
  } catch (error) {
    throw new TransportError(action, 'the answer does not have the form of discovery', { cause: error });
  }
}

function together(findings: readonly DiscoveredKinds[]): DiscoveredKinds {
  return {
    kinds: findings.flatMap(({ kinds }) => kinds),
    failures: findings.flatMap(({ failures }) => failures),
  };
}
