export { type Part, workOut } from '../work-out.ts';
export { decodeFields, encodeFields } from './fields-v1.ts';
export { compareText, goJson, type Notation, printJson } from './go-json.ts';
export {
  difference,
  differenceBelow,
  emptySet,
  equalSets,
  has,
  intersection,
  isEmpty,
  leaf,
  leavesOf,
  type PathSet,
  PathSetBuilder,
  printPaths,
  setOf,
  union,
} from './path-set.ts';
export { fieldName, fieldStep, keyStep, parseStep, printStep, type Step, valueStep } from './step.ts';
