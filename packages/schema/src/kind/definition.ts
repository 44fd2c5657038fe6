/** What an author says about a kind: plain data, from which types, CRD and validation follow. */
import type { Scope } from '@keelson/core';
import type { z } from 'zod';
import type { ConversionFunctions } from '../conversion/version.ts';
import type { ValidationRule } from '../from-zod/validation-rule.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  /** Where the value is: `.spec.size`. */
  readonly jsonPath: string;
  /** @default the type of the field that `jsonPath` names, `string` where it names none by itself */
  readonly type?: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Above zero: shown by `-o wide` alone. @default 0 */
  readonly priority?: number;
}

/** One version of a kind: its fields, and what else users see of it. */
export interface VersionDefinition {
  /** Objects are stored in this version; exactly one version says so. */
  readonly storage?: boolean;
  /** @default true */
  readonly served?: boolean;
  /** Warns the users of this version; a string is the warning. */
  readonly deprecated?: boolean | string;
  readonly spec: z.ZodObject;
  /** Its fields are optional by construction, and `observedGeneration` is added. */
  readonly status?: z.ZodObject;
  /** Columns before `Age`, which is always there. @default one for each declared condition, all but the first wide */
  readonly printerColumns?: readonly PrinterColumn[];
  readonly subresources?: {
    /** What `kubectl scale` and autoscalers read and write. */
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  /** Fields that a field selector may name: `.spec.size`. */
  readonly selectableFields?: readonly string[];
  /** Rules on the whole object in this version, beside those of the kind. */
  readonly rules?: readonly ValidationRule[];
}

/** A custom kind, as `defineKind` takes it. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  /** What the kind is for; `kubectl explain` shows it. */
  readonly description?: string;
  /** @default that of the kind in lower case, as in English: `policies` for `Policy` */
  readonly plural?: string;
  /** @default the kind in lower case */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Groups of resources that the kind belongs to, such as `all`. */
  readonly categories?: readonly string[];
  /** @default 'Namespaced' */
  readonly scope?: Scope;
  /** The version that controllers see. */
  readonly hub: string;
  readonly versions: Readonly<Record<string, VersionDefinition>>;
  /**
   * How versions that differ in their fields become the hub, and the hub them. Fields of the same path and type are
   * copied: `toHub` and `fromHub` get spec and status, and return what else there is; `{}` is enough where that is
   * nothing. What a version cannot say goes along in an annotation. The operator answers the API server's questions.
   */
  readonly conversions?: Readonly<Record<string, ConversionFunctions | undefined>>;
  /**
   * `None`: only the apiVersion changes between versions, and fields that a version does not have are lost when an object
   * is written in it. Versions that differ in their fields have `conversions`, or say this.
   */
  readonly conversion?: 'None';
  /** Of the CustomResourceDefinition itself. */
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Rules on the whole object, in every version. Of the metadata, they see `name` and `generateName` alone. */
  readonly rules?: readonly ValidationRule[];
}
