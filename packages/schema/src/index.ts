export { rawSchema } from './from-zod/raw-schema.ts';
export { conditions, type DeclaredCondition } from './kind/conditions.ts';
export { type CrdOptions, crdOf } from './kind/crd.ts';
export { defineKind } from './kind/define-kind.ts';
export type { KindDefinition } from './kind/definition.ts';
export type { DefinedKind, DefinedObject, NewDefinedObject, VersionConversion } from './kind/object-types.ts';
