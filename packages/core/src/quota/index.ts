/** How ResourceQuotas and LimitRanges count, for the API server that enforces them and the controller that adds up. */
export type { Amounts } from './pod-resources.ts';
export { addAmounts, amountsOf, hasPodResources, podLimits, podRequests } from './pod-resources.ts';
export type { Counted } from './usage.ts';
export { computeUsage, isTerminating, matchesQuotaScopes, quotaNames, quotaUsage } from './usage.ts';
