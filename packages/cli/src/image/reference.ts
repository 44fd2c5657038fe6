/** Where an image is: `registry/repository:tag`, as docker, crane and Kubernetes write it. */
import { UsageError } from '../command-error.ts';

export interface Reference {
  /** With its port, if it has one. */
  readonly registry: string;
  readonly repository: string;
  /** A tag, or a digest. */
  readonly version: string;
}

/** Reads a reference; what it leaves out is Docker's registry and the tag `latest`. */
export function parseReference(text: string): Reference {
  const [, name = '', tag, digest] = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? [];
  const slash = name.indexOf('/');
  const first = name.slice(0, slash);
  const isRegistry = slash > 0 && (/[.:]/.test(first) || first === 'localhost');
  const registry = isRegistry ? first : 'docker.io';
  const rest = isRegistry ? name.slice(slash + 1) : name;
  const repository = registry === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  if (!/^[a-z0-9]+([._/-]+[a-z0-9]+)*$/.test(repository) || !/^[a-z0-9][a-z0-9.-]*(:\d+)?$/i.test(registry)) {
    throw new UsageError(`"${text}" names no image`, 'write it as registry.example.com/my-operator:1.0.0');
  }
  return { registry, repository, version: digest ?? tag ?? 'latest' };
}
