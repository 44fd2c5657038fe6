/** The CustomResourceDefinition of a kind: everything that the API server enforces, from the one definition. */
import { equalJson } from '@keelson/core';
import type {
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  NewCustomResourceDefinition,
} from '@keelson/core/apiextensions/v1';
import { structuralSchema } from '../from-zod/from-zod.ts';
import { Place, type Problem } from '../from-zod/place.ts';
import { refuseNonStructural } from '../from-zod/problems.ts';
import type { KindDefinition, VersionDefinition } from './definition.ts';
import { fieldAt } from './field-path.ts';
import { namesOf, refuseNames } from './names.ts';
import { printerColumns } from './printer-columns.ts';

/** What is applied to a cluster before objects of the kind can exist there. */
export function crdOf({ definition }: { readonly definition: KindDefinition }): NewCustomResourceDefinition {
  const problems: Problem[] = [];
  const place = new Place('', problems);
  refuseNames(definition, place);
  refuseVersions(definition, place.field('versions'));
  const names = namesOf(definition);
  const crd: NewCustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${definition.group}` },
    spec: {
      group: definition.group,
      names,
      scope: definition.scope ?? 'Namespaced',
      versions: Object.entries(definition.versions).map(([name, version]) =>
        crdVersion(name, version, definition, Object.keys(definition.versions).length > 1 ? place.field(name) : place),
      ),
    },
  };
  const schemas = crd.spec.versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  if (schemas.some((schema) => !equalJson(schema, schemas[0]))) {
    place
      .field('versions')
      .refuse(
        'they differ, and objects would lose fields between them: versions with conversion are not supported yet',
      );
  }
  // What was refused before left holes, which are not to be refused again.
  if (problems.length === 0) for (const schema of schemas) refuseNonStructural(schema, place);
  if (problems.length > 0) {
    const lines = problems.map(({ path, reason }) => `  ${path || 'the object'}: ${reason}.`);
    throw new TypeError(`${definition.kind} cannot be defined in Kubernetes:\n${lines.join('\n')}`);
  }
  return crd;
}

function refuseVersions({ hub, versions }: KindDefinition, place: Place): void {
  const stored = Object.keys(versions).filter((name) => versions[name]?.storage);
  if (stored.length !== 1)
    place.refuse(`objects are stored in one version, not in ${stored.join(' and ') || 'none'}: say storage: true once`);
  if (versions[hub] === undefined) place.refuse(`the hub ${hub} is none of them`);
  else if (versions[hub].served === false)
    place.refuse(`the hub ${hub} is not served, so that no controller could see it`);
}

function crdVersion(
  name: string,
  version: VersionDefinition,
  definition: KindDefinition,
  place: Place,
): CustomResourceDefinitionVersion {
  const { served = true, storage = false, deprecated, status, subresources, selectableFields = [] } = version;
  const schema = rootSchema(version, definition, place);
  const scale = subresources?.scale;
  if (scale !== undefined) {
    refusePath(schema, scale.specReplicasPath, 'specReplicasPath', /^\.spec\./, ['integer'], place);
    refusePath(schema, scale.statusReplicasPath, 'statusReplicasPath', /^\.status\./, ['integer'], place);
    const { labelSelectorPath } = scale;
    if (labelSelectorPath !== undefined) {
      refusePath(schema, labelSelectorPath, 'labelSelectorPath', /^\.(spec|status)\./, ['string'], place);
    }
  }
  for (const path of selectableFields) {
    refusePath(schema, path, 'selectableFields', /^\.(spec|status)\./, ['string', 'integer', 'boolean'], place);
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
    additionalPrinterColumns: printerColumns(version, schema, place),
  };
}

function rootSchema(
  version: VersionDefinition,
  { description, rules = [] }: KindDefinition,
  place: Place,
): JSONSchemaProps {
  const spec = specSchema(structuralSchema(version.spec, place.field('spec')));
  const status = version.status && statusSchema(version.status, place.field('status'));
  for (const { rule } of rules) {
    for (const [path, field] of rule.matchAll(/\bself\.metadata\.(\w+)/g)) {
      if (field !== 'name' && field !== 'generateName') {
        place
          .field('rules')
          .refuse(`the rule ${rule} reads ${path}, and of the metadata a rule sees name and generateName alone`);
      }
    }
  }
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: { spec, ...(status && { status }) },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

// Without a spec, the defaults inside it would never apply. Rules might refuse an empty one, and with it the whole CRD.
function specSchema(spec: JSONSchemaProps): JSONSchemaProps {
  const mayBeEmpty = spec.required === undefined && spec['x-kubernetes-validations'] === undefined;
  return mayBeEmpty ? { ...spec, default: {} } : spec;
}

/** A new object has an empty status and must not be refused, so that nothing in it is required. */
function statusSchema(status: NonNullable<VersionDefinition['status']>, place: Place): JSONSchemaProps {
  const { required: _, ...schema } = structuralSchema(status, place);
  if (schema.properties?.observedGeneration !== undefined) {
    place.field('observedGeneration').refuse('it is added to every status: take it off');
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
  place: Place,
): void {
  const field = under.test(path) ? fieldAt(schema, path) : undefined;
  if (typeof field !== 'object' || !types.includes(field.type ?? '')) {
    place.refuse(`${what} names ${path}, where there is no field of the type ${types.join(', ')} (such as .spec.size)`);
  }
}
