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
      const its = examples.filter(
        (each) => textAt(each, 'kind') === kind && each.apiVersion === `${group}/${textAt(version, 'name')}`,
      );
      const unknown = (['spec', 'status'] as const).flatMap((part) => {
        const known = new Set(fieldsAt(schema, 'properties', part, 'properties'));
        const isOpen = at(schema, 'properties', part, 'x-kubernetes-preserve-unknown-fields') === true;
        const set = new Set(its.flatMap((each) => fieldsAt(each, part)));
        return [...set].filter((field) => !known.has(field) && !isOpen).map((field) => `${part}.${field}`);
      });
      return [
        ...unknown.map((field) =>
          error(
            'field',
            `${name} has no field ${field}, and an example sets it`,
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

/** Each field of a spec has a descriptor of its own. One that no example sets is not missed by Operator SDK. */
export function specsHaveDescriptors(contents: Contents): readonly ScorecardFinding[] {
  return ownedIn(contents).flatMap(({ entry, kind, version, ...owned }) => {
    const set = new Set(examplesOf(contents.examples, kind, version).flatMap((each) => fieldsAt(each, 'spec')));
    const paths = objectsAt(entry, 'specDescriptors').map((each) => textAt(each, 'path'));
    const fields = new Set([...schemaFields(contents, { ...owned, kind, version }, 'spec'), ...set]);
    return [...fields]
      .filter((field) => !paths.includes(field))
      .map((field) => (set.has(field) ? error : warning)('descriptor', ...bare(`spec.${field}`, owned.gvk)));
  });
}

/** Each field of a status has a descriptor. Operator SDK misses them if there is none and an example has a status. */
export function statusesHaveDescriptors(contents: Contents): readonly ScorecardFinding[] {
  return ownedIn(contents).flatMap(({ entry, kind, version, ...owned }) => {
    const paths = objectsAt(entry, 'statusDescriptors').map((each) => textAt(each, 'path'));
    const isShown = examplesOf(contents.examples, kind, version).some((each) => fieldsAt(each, 'status').length > 0);
    const found = paths.length === 0 && isShown ? error : warning;
    return schemaFields(contents, { ...owned, kind, version }, 'status')
      .filter(
        (field) =>
          !paths.some((path) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)),
      )
      .map((field) => found('descriptor', ...bare(`status.${field}`, owned.gvk)));
  });
}

const bare = (field: string, kind: string) =>
  [`${field} of ${kind} has no descriptor`, 'call "keelson bundle"'] as const;

const examplesOf = (examples: Contents['examples'] = [], kind: string, version: string) =>
  examples.filter((each) => textAt(each, 'kind') === kind && textAt(each, 'apiVersion').endsWith(`/${version}`));

function schemaFields(
  { definitions }: Contents,
  { kind, group, version }: { readonly kind: string; readonly group: string; readonly version: string },
  part: 'spec' | 'status',
): readonly string[] {
  const definition = definitions.find((each) => each.kind === kind && each.group === group);
  const served = definition?.versions.find((each) => textAt(each, 'name') === version);
  return fieldsAt(served, 'schema', 'openAPIV3Schema', 'properties', part, 'properties');
}
