import type { Area } from '../case.ts';
import { accessPaths } from './access-paths.ts';
import { accessReviews } from './access-reviews.ts';
import { accessVerbs } from './access-verbs.ts';
import { apply } from './apply.ts';
import { authorisation } from './authorisation.ts';
import { autoscalers } from './autoscalers.ts';
import { builtInKinds } from './built-in-kinds.ts';
import { controllers } from './controllers.ts';
import { conversionWebhooks } from './conversion-webhooks.ts';
import { create } from './create.ts';
import { cronJobs } from './cron-jobs.ts';
import { definitions } from './custom-resource-definitions.ts';
import { deletion } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { discovery } from './discovery.ts';
import { disruptionBudgets } from './disruption-budgets.ts';
import { eventViews } from './events.ts';
import { evictions } from './eviction.ts';
import { fieldValidation } from './field-validation.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { impersonation } from './impersonation.ts';
import { jobs } from './jobs.ts';
import { limitRangesArea } from './limit-ranges.ts';
import { list } from './list.ts';
import { managedFields } from './managed-fields.ts';
import { mutatingPolicies } from './mutating-policies.ts';
import { names } from './names.ts';
import { namespaceLife } from './namespaces.ts';
import { openapi } from './openapi.ts';
import { openapiV2 } from './openapi-v2.ts';
import { patch } from './patch.ts';
import { podLogs } from './pod-logs.ts';
import { podSessions } from './pod-sessions.ts';
import { policyValidation } from './policy-validation.ts';
import { quotaValidation } from './quota-validation.ts';
import { resourceQuotas } from './quotas.ts';
import { read } from './read.ts';
import { resourceVersions } from './resource-versions.ts';
import { rolesAndBindings } from './roles.ts';
import { scale } from './scale.ts';
import { schema } from './schema.ts';
import { selectors } from './selectors.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import { setsAndStorage } from './sets-and-storage.ts';
import { sizes } from './sizes.ts';
import { statusAndGeneration } from './status.ts';
import { strategicPatch } from './strategic-patch.ts';
import { tables } from './table.ts';
import { tableColumns } from './table-columns.ts';
import { update } from './update.ts';
import { validatingPolicies } from './validating-policies.ts';
import { watch } from './watch.ts';
import { webhookConfigurationsArea } from './webhook-configurations.ts';
import { webhookFailures } from './webhook-failures.ts';
import { webhookReviews } from './webhook-reviews.ts';

/** Those that wait for controllers come first, before the others have given those controllers much to do. */
export const areas: readonly Area[] = [
  namespaceLife,
  controllers,
  evictions,
  disruptionBudgets,
  resourceQuotas,
  autoscalers,
  limitRangesArea,
  quotaValidation,
  resourceVersions,
  create,
  names,
  read,
  list,
  selectors,
  watch,
  update,
  deletion,
  deleteCollection,
  patch,
  strategicPatch,
  apply,
  managedFields,
  fieldValidation,
  discovery,
  openapi,
  openapiV2,
  tables,
  tableColumns,
  statusAndGeneration,
  scale,
  podLogs,
  podSessions,
  sizes,
  hostileBodies,
  eventViews,
  definitions,
  schema,
  builtInKinds,
  setsAndStorage,
  jobs,
  cronJobs,
  authorisation,
  accessPaths,
  accessVerbs,
  rolesAndBindings,
  serviceAccountTokens,
  impersonation,
  accessReviews,
  mutatingPolicies,
  policyValidation,
  validatingPolicies,
  webhookConfigurationsArea,
  webhookFailures,
  webhookReviews,
  conversionWebhooks,
];
