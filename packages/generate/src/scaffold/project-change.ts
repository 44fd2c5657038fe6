/** What a kind, a controller or a webhook adds to a project: new files, and one place in `src/operator.ts`. */
import { deploymentControllerFiles, emptyControllerFiles, ownModule } from './controller-files.ts';
import { kindFiles } from './kind-files.ts';
import type { KindNames } from './names.ts';
import { controllerAddition, kindAddition, type OperatorAddition, webhookAddition } from './operator-file.ts';
import type { ScaffoldFile } from './scaffold-file.ts';
import { type WebhookParts, webhookFiles } from './webhook-files.ts';

/** What is to be written. */
export interface ProjectChange {
  /** None of them may be there yet. */
  readonly files: readonly ScaffoldFile[];
  readonly addition: OperatorAddition;
}

/** What a new kind is made of. */
export interface NewKind {
  readonly kind: KindNames;
  /** The image in its sample. */
  readonly image: string;
  /** The variable of the operator, if the kind gets a controller. */
  readonly operator?: string | undefined;
}

/** A kind of the project's own, with or without a controller. */
export function newKind({ kind, image, operator }: NewKind): ProjectChange {
  const files = kindFiles(kind, image);
  if (operator === undefined) return { files, addition: kindAddition(kind.kind) };
  return {
    files: [...files, ...deploymentControllerFiles(kind.kind, operator)],
    addition: controllerAddition(kind.kind),
  };
}

/** What a controller is made of. */
export interface NewController {
  readonly kind: string;
  /** The module that exports a kind of Kubernetes. @default the project's own file for that kind */
  readonly module?: string | undefined;
  /** The variable of the operator. */
  readonly operator: string;
}

/** A controller for a kind that is there already. */
export function newController({ kind, module = ownModule(kind), operator }: NewController): ProjectChange {
  return { files: emptyControllerFiles(kind, module, operator), addition: controllerAddition(kind) };
}

/** What a webhook is made of. */
export interface NewWebhook extends NewController, WebhookParts {}

/** A webhook for a kind that is there already. */
export function newWebhook({ kind, module, operator, ...parts }: NewWebhook): ProjectChange {
  return { files: webhookFiles(kind, module, operator, parts), addition: webhookAddition(kind) };
}
