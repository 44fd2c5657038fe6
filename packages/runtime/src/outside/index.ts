/** For those who run an operator outside of its cluster: a command, a demonstration. */
export { answerOutside, endOutside, type OutsideOptions, type OutsideWebhooks } from './answer-outside.ts';
export { trusting, type WebhookAuthority, webhookAuthority } from './webhook-authority.ts';
export { applyConfigurations, removeConfigurations } from './webhook-configurations.ts';
