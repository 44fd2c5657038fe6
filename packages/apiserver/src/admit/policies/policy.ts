/** What validating and mutating policies, and their bindings, have in common. */
import type { ObjectMeta } from '@keelson/core';
import type { MatchResources, ParamKind, ParamRef } from '@keelson/core/admissionregistration/v1';

export type { MatchResources, ParamKind, ParamRef };

export interface Policy {
  readonly metadata: ObjectMeta;
  readonly spec?:
    | {
        readonly failurePolicy?: string | undefined;
        readonly matchConstraints?: MatchResources | undefined;
        readonly paramKind?: ParamKind | undefined;
      }
    | undefined;
}

export interface Binding {
  readonly metadata: ObjectMeta;
  readonly spec?:
    | {
        readonly policyName?: string | undefined;
        readonly matchResources?: MatchResources | undefined;
        readonly paramRef?: ParamRef | undefined;
      }
    | undefined;
}

export const ignoresFailures = ({ spec }: Policy): boolean => spec?.failurePolicy === 'Ignore';
