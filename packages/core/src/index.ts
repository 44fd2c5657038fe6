export type {
  AdmissionPolicyDeclaration,
  PolicyObjects,
  PolicyParameters,
  PolicyValidation,
} from './admission-policy.ts';
export { admissionPoliciesOf } from './admission-policy.ts';
export { anySignal } from './any-signal.ts';
export type { CacheListOptions, CacheView } from './cache-view.ts';
export type { Clock, Deadline, Timer } from './clock.ts';
export { DeadlineExceededError, deadline, microTimestamp, sleep, timestamp } from './clock.ts';
export type { Condition, ConditionInput, ConditionStatus, ReportedCondition } from './conditions.ts';
export { conditionOf, setCondition } from './conditions.ts';
export { createJsonPatch } from './create-json-patch.ts';
export { type CronSchedule, parseCron } from './cron/cron.ts';
export { CronError } from './cron/cron-error.ts';
export { isTimeZone, zonedTimestamp } from './cron/zoned-time.ts';
export type {
  Declaration,
  Mapping,
  MappingContext,
  MappingFunction,
  NamedMapping,
  Need,
  ObjectSelection,
  Own,
  OwnedKind,
  OwnedSelection,
  Reference,
  References,
  Removable,
  RemovableKind,
  Verb,
  Watch,
  WatchDeclaration,
  WatchedKind,
  WatchSelection,
} from './declaration.ts';
export { allow, byLabel, byOwner, own, ownedKinds, ownedSelections, removable, watch } from './declaration.ts';
export { equalJson } from './equal-json.ts';
export type { Status } from './errors.ts';
export {
  ApiError,
  causesOf,
  isAlreadyExists,
  isApiError,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isRequestEntityTooLarge,
  isServerError,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  OperatorError,
  TransportError,
} from './errors.ts';
export type { FieldRequirement, FieldSelectorProblem } from './field-selector.ts';
export { FieldSelectorError, matchesFields, parseFieldSelector, printFieldSelector } from './field-selector.ts';
export type { FieldSet } from './fields/field-set.ts';
export { appliedEntryOf, project } from './fields/field-set.ts';
export { finalizerProblem, hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
export type { KindMap } from './generated/kind-map.ts';
export { isObject, type JsonObject } from './json-object.ts';
export type { JsonPatchFailure, JsonPatchOperation, JsonPatchOptions } from './json-patch.ts';
export { applyJsonPatch, JsonPatchError } from './json-patch.ts';
export type { NamespacedName, ObjectAddress } from './key.ts';
export { addressOf, keyOf, parseKey } from './key.ts';
export type {
  Conversion,
  InputOf,
  Kind,
  KubernetesObject,
  NewKubernetesObject,
  ObjectOf,
  Scope,
  StatusInputOf,
  VirtualKind,
} from './kind.ts';
export { apiVersionOf, isSameKind, resourceNameOf } from './kind.ts';
export type { LabelSelection, LabelSelector, LabelSelectorProblem, Labels, Requirement } from './label-selector.ts';
export {
  LabelSelectorError,
  matchesLabels,
  parseLabelSelector,
  printLabelSelector,
  requirementsOf,
} from './label-selector.ts';
export type { List, WatchEvent } from './list.ts';
export { compareResourceVersions } from './list.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export type { NamespacedObjectMeta, NewObjectMeta, ObjectMeta, StoredObjectMeta } from './meta.ts';
export type { MetadataKind, MetadataObject } from './metadata-kind.ts';
export { isMetadataOnly, metadataOf } from './metadata-kind.ts';
export type { MissingRight } from './missing-right.ts';
export { declarationFor, missingRightIn, printRight } from './missing-right.ts';
export type { Operator, OperatorDefinition, TaskDeclaration } from './operator.ts';
export { controllerName, operator, withSettings } from './operator.ts';
export { type OperatorProcess, operatorProcess, type ProcessParameter } from './operator-process.ts';
export { isOptional, optional } from './optional-kind.ts';
export type { OwnerReference } from './owner-references.ts';
export {
  assertMayOwn,
  controllerOf,
  controllerReference,
  isControlledBy,
  isNotControlled,
  NotControlledError,
  withController,
} from './owner-references.ts';
export type { ExplainedRule, OperatorPlace, OperatorRole, PolicyRule } from './policy-rules.ts';
export { explainRules, rolesOf, rulesFor, rulesOf } from './policy-rules.ts';
export type { Predicate } from './predicates.ts';
export { and, annotationsChanged, changed, generationChanged, labelsChanged, not, or } from './predicates.ts';
export type { Quantity, QuantityFormat } from './quantity.ts';
export {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  QuantityError,
  quantityToNumber,
  roundUpQuantity,
  subtractQuantities,
  unitsOf,
} from './quantity.ts';
export { jitter, type Random } from './random.ts';
export type { Setting, SettingsInputOf, SettingsOf, SettingsSchema } from './settings.ts';
export { settingFrom, settingsOf, validSettings } from './settings.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export type { AdmissionOperation, WebhookDeclaration } from './webhook.ts';
export { operationsOf, webhookName } from './webhook.ts';
export type { WebhookConfigurations, WebhookPlace } from './webhook-configurations.ts';
export {
  conversionClientConfig,
  convertedKinds,
  servesWebhooks,
  webhookConfigurationsOf,
} from './webhook-configurations.ts';
export { conversionPath, type WebhookNames, webhookNames, webhookPath, webhookPort } from './webhook-names.ts';
