export type { StructuralMeta } from './from-zod/extensions.ts';
export type { ValidationRule } from './from-zod/validation-rule.ts';
export { type Condition, conditions } from './kind/conditions.ts';
export { crdOf } from './kind/crd.ts';
export { defineKind } from './kind/define-kind.ts';
export type { KindDefinition, PrinterColumn, VersionDefinition } from './kind/definition.ts';
export type { DefinedKind, DefinedObject, NewDefinedObject } from './kind/object-types.ts';
