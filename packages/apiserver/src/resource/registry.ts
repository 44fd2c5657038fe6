/**
 * Which resources are served right now: the built-in ones always, custom ones as CustomResourceDefinitions come and go.
 *
 * Keeps the order of preference in which discovery lists groups and versions.
 */
import { apiVersionOf, type Resource } from './resource.ts';

export interface GroupVersions {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly GroupVersion[];
}

interface GroupVersion {
  readonly version: string;
  readonly resources: readonly Resource[];
  /** Another server has it, which cannot be reached: what there is in it is not known. */
  readonly isStale?: boolean;
}

/** A group and version that another server should answer for. */
export interface Delegated {
  readonly group: string;
  readonly version: string;
}

export class Registry {
  /** By `group/version`, then by plural. */
  readonly #resources = new Map<string, Map<string, Resource>>();
  readonly #builtIn: readonly Resource[];
  #custom: readonly Resource[] = [];
  #delegated: readonly Delegated[] = [];
  #changeCount = 0;
  #groups: readonly GroupVersions[] | undefined;

  constructor(builtIn: readonly Resource[]) {
    this.#builtIn = builtIn;
    this.#index();
  }

  /** Changes with every change of what is served. */
  get changeCount(): number {
    return this.#changeCount;
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.#resources.get(apiVersionOf({ group, version }))?.get(resource);
  }

  /** Built-in groups answer for all their versions, those of custom resources only for the versions that are served. */
  isServed(group: string, version: string): boolean {
    return this.#resources.has(apiVersionOf({ group, version })) || this.isBuiltIn(group);
  }

  all(): readonly Resource[] {
    return [...this.#builtIn, ...this.#custom];
  }

  isBuiltIn(group: string): boolean {
    return this.#builtIn.some((resource) => resource.group === group);
  }

  /** Serves these custom resources instead of those that were served. */
  serve(custom: readonly Resource[]): void {
    this.#custom = custom;
    this.#changeCount += 1;
    this.#groups = undefined;
    this.#index();
  }

  /** Leaves these groups and versions to others, instead of those that were; what is served here stays here. */
  delegate(delegated: readonly Delegated[]): void {
    this.#delegated = delegated;
    this.#changeCount += 1;
    this.#groups = undefined;
  }

  isDelegated(group: string, version: string): boolean {
    const isOther = !this.#resources.has(apiVersionOf({ group, version }));
    return isOther && this.#delegated.some((each) => each.group === group && each.version === version);
  }

  groups(): readonly GroupVersions[] {
    const others = this.#delegated.filter(({ group, version }) => this.isDelegated(group, version));
    this.#groups ??= withStale(grouped(this.all()), others);
    return this.#groups;
  }

  #index(): void {
    this.#resources.clear();
    for (const resource of this.all()) {
      const key = apiVersionOf(resource);
      let byPlural = this.#resources.get(key);
      if (byPlural === undefined) {
        byPlural = new Map();
        this.#resources.set(key, byPlural);
      }
      byPlural.set(resource.resource, resource);
    }
  }
}

function grouped(resources: readonly Resource[]): readonly GroupVersions[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of resources) {
    let versions = groups.get(resource.group);
    if (versions === undefined) {
      versions = new Map();
      groups.set(resource.group, versions);
    }
    const list = versions.get(resource.version);
    if (list === undefined) versions.set(resource.version, [resource]);
    else list.push(resource);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, list]) => ({ version, resources: list })),
  }));
}

function withStale(groups: readonly GroupVersions[], delegated: readonly Delegated[]): readonly GroupVersions[] {
  const versions = new Map(groups.map((each) => [each.group, [...each.versions]]));
  for (const { group, version } of delegated) {
    const stale: GroupVersion = { version, resources: [], isStale: true };
    versions.set(group, [...(versions.get(group) ?? []), stale]);
  }
  return [...versions].map(([group, all]) => ({ group, versions: all }));
}

/** Kubernetes' order: stable before beta before alpha, higher numbers first, then everything else by name. */
export function compareVersions(a: string, b: string): number {
  const parse = (text: string) => {
    const match = /^v(?<major>\d+)(?:(?<stage>alpha|beta)(?<minor>\d+))?$/.exec(text)?.groups;
    return match === undefined
      ? undefined
      : {
          stage: match.stage === undefined ? 2 : match.stage === 'beta' ? 1 : 0,
          major: Number(match.major),
          minor: Number(match.minor ?? 0),
        };
  };
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}
