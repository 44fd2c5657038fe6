/** What a custom resource embeds of the built-in types, and what OpenAPI does not tell a CRD about them. */

/** All keyed by module and name, such as `v1/PodTemplateSpec`. A key that fits nothing in the documents is an error. */
export interface FieldFacts {
  /** Types from which all the others follow. */
  readonly roots: readonly string[];
  /** What a CRD has to say of types that marshal themselves. */
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Properties that a type keeps inside a custom resource; the server sets the others, or ignores them there. */
  readonly only: Readonly<Record<string, readonly string[]>>;
}

export const fieldFacts: FieldFacts = {
  roots: [
    'v1/LoadBalancerStatus',
    'v1/NodeSelector',
    'v1/ObjectReference',
    'v1/PersistentVolumeClaimTemplate',
    'v1/PodTemplateSpec',
    'v1/SecretReference',
    'v1/ServiceSpec',
  ],
  schemas: {
    'meta/v1/IntOrString': { 'x-kubernetes-int-or-string': true },
    'meta/v1/Quantity': {
      'x-kubernetes-int-or-string': true,
      pattern: String.raw`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`,
    },
    'meta/v1/Time': { type: 'string', format: 'date-time' },
  },
  only: { 'meta/v1/ObjectMeta': ['annotations', 'finalizers', 'labels', 'name', 'namespace'] },
};
