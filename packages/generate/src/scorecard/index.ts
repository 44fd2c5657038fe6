export type { BundleContents, ScorecardFinding } from './finding.ts';
export { judgeBundle, type ScorecardCheck } from './judge-bundle.ts';
