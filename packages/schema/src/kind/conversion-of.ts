/** What converts the objects of a kind between its versions, made of its definition. */
import type { Conversion } from '@keelson/core';
import { converterOf } from '../conversion/converter.ts';
import { Version } from '../conversion/version.ts';
import { judgeOf } from '../from-zod/judged-rules.ts';
import { definitionOf } from './crd.ts';
import type { KindDefinition } from './definition.ts';

/** Undefined for a kind without conversions. Throws a `TypeError` for a definition that cannot be. */
export function conversionOf(definition: KindDefinition): Conversion | undefined {
  const { versions } = definitionOf(definition).spec;
  const { group, kind, hub, conversions } = definition;
  if (conversions === undefined) return undefined;
  return converterOf({
    group,
    kind,
    hub,
    names: versions.map(({ name }) => name),
    served: versions.filter(({ served }) => served).map(({ name }) => name),
    versions: () =>
      versions.map(({ name, schema, storage }) => {
        const root = schema?.openAPIV3Schema ?? {};
        return new Version({
          name,
          schema: root,
          judge: judgeOf(root),
          isStored: storage,
          functions: conversions[name] ?? {},
        });
      }),
  });
}
