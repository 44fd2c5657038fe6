/**
 * `judgeBundle`: the checks of Operator SDK's scorecard and of its bundle validation, as a pure function.
 *
 * Promises: whatever is in a bundle, whoever made it, is judged and not thrown at. Does not: run anything; what an
 * operator does is for its own tests.
 */
import { bundleValidation } from './bundle-validation.ts';
import { type BundleContents, type Contents, contentsOf, type ScorecardFinding } from './finding.ts';
import {
  definitionsHaveValidation,
  examplesHaveSpec,
  kindsHaveResources,
  specsHaveDescriptors,
  statusesHaveDescriptors,
} from './kinds.ts';
import { goodPractices, operatorHub } from './operator-hub.ts';

/** A check, and what it found. */
export interface ScorecardCheck {
  /** As Operator SDK calls it, where it has it. */
  readonly check: string;
  /** What is looked at. */
  readonly what: string;
  readonly findings: readonly ScorecardFinding[];
}

const checks: readonly (readonly [string, string, (contents: Contents) => readonly ScorecardFinding[]])[] = [
  ['olm-bundle-validation', 'what OLM asks of any bundle', bundleValidation],
  ['operatorhub', 'what OperatorHub asks of it', operatorHub],
  ['good-practices', 'what is good for its users', goodPractices],
  ['basic-check-spec', 'each example has a spec', examplesHaveSpec],
  ['olm-crds-have-validation', 'each version has a schema with all fields, and a status', definitionsHaveValidation],
  ['olm-crds-have-resources', 'each kind names what its operator makes', kindsHaveResources],
  ['olm-spec-descriptors', 'each field of a spec has a descriptor', specsHaveDescriptors],
  ['olm-status-descriptors', 'each field of a status has a descriptor', statusesHaveDescriptors],
];

/** All checks, in their order, each with what it found. */
export function judgeBundle(bundle: BundleContents): readonly ScorecardCheck[] {
  const contents = contentsOf(bundle);
  return checks.map(([check, what, judge]) => ({ check, what, findings: judge(contents) }));
}
