/** Names of a kind, by the rules of the API server: they become parts of paths, of DNS names and of RBAC rules. */

import type { DefinitionField } from '../from-zod/definition-field.ts';
import { label1035Problems, subdomainProblems } from '../metadata/name-rules.ts';
import type { KindDefinition } from './definition.ts';

/** `spec.names` of a CRD. */
export interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** The names, with those that follow from the kind. */
export function namesOf({ kind, plural, singular, shortNames, categories }: KindDefinition): Names {
  return {
    plural: plural ?? pluralOf(kind.toLowerCase()),
    singular: singular ?? kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    ...(shortNames?.length && { shortNames }),
    ...(categories?.length && { categories }),
  };
}

/** As English and the generators of Kubernetes have it: `memcacheds`, `policies`, `gateways`, `redises`, `boxes`. */
function pluralOf(word: string): string {
  if (/([sxz]|[cs]h)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Refuses names that the API server would not take. */
export function refuseNames(definition: KindDefinition, at: DefinitionField): void {
  const { group, kind, versions, shortNames = [], categories = [] } = definition;
  const { plural, singular } = namesOf(definition);
  if (subdomainProblems(group).length > 0 || !group.includes('.')) {
    at.field('group').refuse(`"${group}" is no domain name in lower case with a dot, such as cache.example.com`);
  } else if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    at.field('group').refuse(`"${group}" belongs to the Kubernetes project: use a domain of your own`);
  }
  // With "List" behind it, it is still a name of 63.
  if (!/^[A-Z][A-Za-z0-9]{0,58}$/.test(kind)) {
    at.field('kind').refuse(`"${kind}" is not in CamelCase, of letters and digits, 59 at most`);
  }
  const labels = { plural: [plural], singular: [singular], shortNames, categories, versions: Object.keys(versions) };
  for (const [field, names] of Object.entries(labels)) {
    for (const name of names) {
      if (label1035Problems(name).length === 0) continue;
      at.field(field).refuse(`"${name}" is not a lower-case letter followed by letters, digits and dashes, 63 at most`);
    }
  }
}
