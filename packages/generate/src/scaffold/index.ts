export { controllerPath } from './controller-files.ts';
export { imageEnvironment } from './image-environment.ts';
export { defaultImage, kindPath, samplePath } from './kind-files.ts';
export {
  domainProblem,
  groupOf,
  groupProblem,
  type KindNames,
  kindOf,
  kindProblem,
  type NameProblem,
  ownKindProblem,
  pluralProblem,
  projectNameProblem,
  versionProblem,
} from './names.ts';
export { type OperatorAddition, operatorIn, withAddition } from './operator-file.ts';
export {
  type NewController,
  type NewKind,
  type NewWebhook,
  newController,
  newKind,
  newWebhook,
  type ProjectChange,
} from './project-change.ts';
export { type ProjectOptions, projectFiles } from './project-files.ts';
export type { ScaffoldFile } from './scaffold-file.ts';
