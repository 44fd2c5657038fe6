export { type Condition, conditions } from './conditions.ts';
export { crdOf } from './crd.ts';
export { defineKind } from './define-kind.ts';
export type { KindDefinition, PrinterColumn, ValidationRule, VersionDefinition } from './definition.ts';
export type { DefinedKind, DefinedObject, NewDefinedObject } from './object-types.ts';
export type { StructuralMeta } from './structural/extensions.ts';
