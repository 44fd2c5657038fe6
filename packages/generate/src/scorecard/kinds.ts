/** What Operator SDK's scorecard asks of the kinds of a bundle, here without a pod: what users see and are helped by. */
import { isObject } from '@keelson/core';
import {
  at,
  type Contents,
  error,
  fieldsAt,
  gvk,
  objectsAt,
  ownedIn,
  type ScorecardFinding,
  textAt,
  warning,
} from './finding.ts';

/** Each example has a spec. */
export function examplesHaveSpec({ examples = [] }: Contents): readonly ScorecardFinding[] {
  return examples
    .filter((each) => !isObject(each.spec))
    .map((each) =>
      error('spec', `the example ${textAt(each, 'metadata', 'name')} has no spec`, 'write one into its sample'),
    );
}

/** Each version has a schema, a status, and a field of the schema for each of its examples' fields. */
export function definitionsHaveValidation({ definitions, examples = [] }: Contents): readonly ScorecardFinding[] {
  return definitions.flatMap(({ kind, group, versions }) =>
    versions.flatMap((version) => {
      const name = gvk(kind, group, textAt(version, 'name'));
      const schema = at(version, 'schema', 'openAPIV3Schema');
      if (!isObject(schema)) return [error('schema', `${name} has no schema`, 'every field is dropped without one')];
      const hasStatus = at(version, 'subresources', 'status') !== undefined;
      const known = new Set(fieldsAt(schema, 'properties', 'spec', 'properties'));
      const isOpen = at(schema, 'properties', 'spec', 'x-kubernetes-preserve-unknown-fields') === true;
      const its = examples.filter(
        (each) => textAt(each, 'kind') === kind && each.apiVersion === `${group}/${textAt(version, 'name')}`,
      );
      const unknown = new Set(
        its.flatMap((each) => fieldsAt(each, 'spec')).filter((field) => !known.has(field) && !isOpen),
      );
      return [
        ...[...unknown].map((field) =>
          error(
            'field',
            `${name} has no field spec.${field}, and an example sets it`,
            'add it to the kind, or mend the sample',
          ),
        ),
        ...(hasStatus
          ? []
          : [
              warning(
                'status',
                `${name} has no status`,
                'say how an object is: versions: { v1: { status: z.object({ … }) } }',
              ),
            ]),
      ];
    }),
  );
}

/** Each owned kind says which objects its operator makes. */
export function kindsHaveResources(contents: Contents): readonly ScorecardFinding[] {
  return ownedIn(contents)
    .filter(({ entry }) => objectsAt(entry, 'resources').length === 0)
    .map((each) =>
      error('resources', `${each.gvk} names no resources`, 'declare what its controller owns and watches'),
    );
}

/** Each field of spec or status has a descriptor. */
export function fieldsHaveDescriptors(contents: Contents, part: 'spec' | 'status'): readonly ScorecardFinding[] {
  return ownedIn(contents).flatMap(({ entry, kind, group, version, gvk: name }) => {
    const definition = contents.definitions.find((each) => each.kind === kind && each.group === group);
    const served = definition?.versions.find((each) => textAt(each, 'name') === version);
    const fields = fieldsAt(served, 'schema', 'openAPIV3Schema', 'properties', part, 'properties');
    const paths = objectsAt(entry, `${part}Descriptors`).map((each) => textAt(each, 'path'));
    const bare = fields.filter(
      (field) => !paths.some((path) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)),
    );
    return bare.map((field) =>
      error('descriptor', `${part}.${field} of ${name} has no descriptor`, 'call "keelson bundle"'),
    );
  });
}
