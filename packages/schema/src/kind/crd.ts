/** The CustomResourceDefinition of a kind: everything that the API server enforces, from the one definition. */
import type {
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  NewCustomResourceDefinition,
  WebhookClientConfig,
} from '@keelson/core/apiextensions/v1';
import { DefinitionField, type DefinitionProblem } from '../from-zod/definition-field.ts';
import { structuralSchema } from '../from-zod/from-zod.ts';
import { judgeOf, refuseUnjudged } from '../from-zod/judged-rules.ts';
import { objectMetaProblems } from '../metadata/object-meta-problems.ts';
import { defaultProblems } from '../structural/defaults.ts';
import { structuralProblemsBy } from '../structural/structural-problems.ts';
import { inAuthorWords } from './author-words.ts';
import type { KindDefinition, VersionDefinition } from './definition.ts';
import { fieldAt } from './field-path.ts';
import { namesOf, refuseNames } from './names.ts';
import { printerColumns } from './printer-columns.ts';
import { refuseConversions, refuseLoss, refuseVersions } from './versions.ts';

/** Where a CRD is going to be applied. */
export interface CrdOptions {
  /** Where the API server finds the operator that converts; for kinds with `conversions`, which need it. */
  readonly conversion?: WebhookClientConfig | undefined;
}

/**
 * What is applied to a cluster before objects of the kind can exist there. Throws a `TypeError` with everything that
 * the API server would refuse, or would accept and not enforce; also for a kind with `conversions`, if it is not said
 * where they are served: the API server would drop fields without them.
 *
 * @example
 * crdOf(Memcached, { conversion: { service: { namespace: 'caches', name: 'memcached-operator-webhook', path: '/convert' } } })
 */
export function crdOf(
  { definition }: { readonly definition: KindDefinition },
  { conversion: clientConfig }: CrdOptions = {},
): NewCustomResourceDefinition {
  const crd = definitionOf(definition);
  if (definition.conversions === undefined) return crd;
  if (clientConfig === undefined) {
    throw new TypeError(
      `${definition.kind} has conversions, and its CRD must say where they are served: crdOf(kind, { conversion: { service: { namespace, name, path } } }), or { url, caBundle }`,
    );
  }
  const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
  return { ...crd, spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } } };
}

/** The CRD, without where its conversions are. */
export function definitionOf(definition: KindDefinition): NewCustomResourceDefinition {
  const problems: DefinitionProblem[] = [];
  const at = new DefinitionField('', problems);
  refuseNames(definition, at);
  refuseVersions(definition, at.field('versions'));
  refuseConversions(definition, at.field('conversions'));
  const names = namesOf(definition);
  const versions = Object.entries(definition.versions);
  const pathOf = (version: string) => (versions.length > 1 ? at.field(version) : at);
  const crd: NewCustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...definition.metadata, name: `${names.plural}.${definition.group}` },
    spec: {
      group: definition.group,
      names,
      scope: definition.scope ?? 'Namespaced',
      versions: versions.map(([name, version]) => crdVersion(name, version, definition, pathOf(name))),
    },
  };
  // What was refused before left holes, which are not to be refused again.
  if (problems.length === 0) {
    problems.push(...objectMetaProblems(crd.metadata, { namespaced: false, nameProblems: () => [] }));
    refuseLoss(definition, crd.spec.versions, at.field('versions'));
    for (const version of crd.spec.versions) problems.push(...serverProblems(version, pathOf(version.name).path));
  }
  if (problems.length > 0) {
    const lines = new Set(problems.map(({ field, message }) => `  ${field || 'the object'}: ${message}.`));
    throw new TypeError(`${definition.kind} cannot be defined in Kubernetes:\n${[...lines].join('\n')}`);
  }
  return crd;
}

/** What the API server would refuse in the schema of a version, whose fields stand at `path` of the definition. */
function serverProblems(
  { schema, subresources }: CustomResourceDefinitionVersion,
  path: string,
): readonly DefinitionProblem[] {
  const root = schema?.openAPIV3Schema ?? {};
  const options = { hasStatus: subresources?.status !== undefined };
  return structuralProblemsBy(judgeOf(root), root, '', options).map((problem) => {
    const { field, message } = inAuthorWords(problem, '');
    return { field: [path, field].filter((part) => part !== '').join('.'), message };
  });
}

function crdVersion(
  name: string,
  version: VersionDefinition,
  definition: KindDefinition,
  at: DefinitionField,
): CustomResourceDefinitionVersion {
  const { served = true, storage = false, deprecated, status, subresources, selectableFields = [] } = version;
  const schema = rootSchema(version, definition, at);
  const scale = subresources?.scale;
  if (scale !== undefined) {
    refusePath(schema, scale.specReplicasPath, 'specReplicasPath', /^\.spec\./, ['integer'], at);
    refusePath(schema, scale.statusReplicasPath, 'statusReplicasPath', /^\.status\./, ['integer'], at);
    const { labelSelectorPath } = scale;
    if (labelSelectorPath !== undefined) {
      refusePath(schema, labelSelectorPath, 'labelSelectorPath', /^\.(spec|status)\./, ['string'], at);
    }
  }
  for (const path of selectableFields) {
    refusePath(schema, path, 'selectableFields', /^\.(spec|status)\./, ['string', 'integer', 'boolean'], at);
  }
  return {
    name,
    served,
    storage,
    ...(deprecated && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: schema },
    ...((status || scale) && { subresources: { ...(status && { status: {} }), ...(scale && { scale }) } }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    additionalPrinterColumns: printerColumns(version, schema, at),
  };
}

function rootSchema(
  version: VersionDefinition,
  { description, rules: everywhere = [] }: KindDefinition,
  at: DefinitionField,
): JSONSchemaProps {
  const rules = [...everywhere, ...(version.rules ?? [])];
  const spec = specSchema(structuralSchema(version.spec, at.field('spec')));
  const status = version.status && statusSchema(version.status, at.field('status'));
  refuseUnjudged(rules, at.field('rules'));
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: { spec, ...(status && { status }) },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

// Without a spec, the defaults inside it would never apply. Rules may refuse an empty one, and with it the whole CRD.
function specSchema(spec: JSONSchemaProps): JSONSchemaProps {
  if (spec.required !== undefined) return spec;
  const whole = { ...spec, default: {} };
  if (spec['x-kubernetes-validations'] === undefined) return whole;
  const root = { type: 'object', properties: { spec: whole } };
  return defaultProblems(root, '', judgeOf(root)).length === 0 ? whole : spec;
}

/** A new object has an empty status and must not be refused, so that nothing in it is required. */
function statusSchema(status: NonNullable<VersionDefinition['status']>, at: DefinitionField): JSONSchemaProps {
  const { required: _, ...schema } = structuralSchema(status, at);
  if (schema.properties?.observedGeneration !== undefined) {
    at.field('observedGeneration').refuse('it is added to every status: take it off');
  }
  return {
    ...schema,
    properties: {
      ...schema.properties,
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'The metadata.generation that the controller had seen when it wrote this status.',
      },
    },
  };
}

function refusePath(
  schema: JSONSchemaProps,
  path: string,
  what: string,
  under: RegExp,
  types: readonly string[],
  at: DefinitionField,
): void {
  const field = under.test(path) ? fieldAt(schema, path) : undefined;
  if (typeof field !== 'object' || !types.includes(field.type ?? '')) {
    at.refuse(`${what} names ${path}, where there is no field of the type ${types.join(', ')} (such as .spec.size)`);
  }
}
