/**
 * What a built-in kind does differently from the common rules: one small value for each kind that does.
 */
import type { Problem } from '@keelson/schema/validation';
import type { ApiObject } from '../../../object.ts';
import type { StrategyContext, TableRules } from '../../../resource/resource.ts';

export interface KindRules {
  /** The group under which refusals name the kind. @default its own */
  readonly internalGroup?: string;
  readonly default?: (object: ApiObject) => ApiObject;
  /** After the status has been cleared and the generation set. */
  readonly prepareForCreate?: (object: ApiObject, context: StrategyContext) => ApiObject;
  /** After the status has been restored. */
  readonly prepareForUpdate?: (object: ApiObject, old: ApiObject, context: StrategyContext) => ApiObject;
  readonly prepareForStatus?: (object: ApiObject, old: ApiObject, context: StrategyContext) => ApiObject;
  readonly validate?: (object: ApiObject) => readonly Problem[];
  /** What an update must pass in place of `validate`, where the two differ. */
  readonly validateChanged?: (object: ApiObject) => readonly Problem[];
  /** Beside `validate`, which an update must pass too. */
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly Problem[];
  readonly validateStatus?: (object: ApiObject, old: ApiObject) => readonly Problem[];
  readonly warnings?: (object: ApiObject, old?: ApiObject) => readonly string[];
  /** Counts changes of everything but metadata and status; for some kinds also of annotations, or of labels. */
  readonly generation?: 'content' | 'content and annotations' | 'content and labels' | undefined;
  /** A creator may set the status. */
  readonly keepsStatus?: boolean;
  readonly createOnUpdate?: boolean;
  /** @default true */
  readonly unconditionalUpdate?: boolean;
  readonly returnsDeleted?: boolean;
  readonly nameProblems?: (name: string, prefix: boolean) => readonly string[];
  readonly grace?: (object: ApiObject, requested: number | undefined) => number;
  readonly markDeleted?: (object: ApiObject, now: string) => ApiObject | undefined;
  /** A deletion that does not say what becomes of dependents leaves them alone. */
  readonly orphansDependents?: boolean;
  /** @default true */
  readonly collectible?: boolean;
  readonly isFinalized?: (object: ApiObject) => boolean;
  readonly fields?: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Kinds with a conversion of their own for field selectors say this. */
  readonly shortUnknownField?: boolean;
  /** What such a kind says, where it has words of its own. */
  readonly unknownField?: (label: string) => string;
  readonly table?: TableRules;
  /** The same objects under another group and version, whose writers are remembered too. */
  readonly alias?: {
    readonly group: string;
    readonly version: string;
    readonly fromStorage: (object: ApiObject) => ApiObject;
  };
  readonly toStorage?: (object: ApiObject) => ApiObject;
  readonly fromStorage?: (object: ApiObject) => ApiObject;
}
